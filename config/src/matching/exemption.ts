import { SCRIPT } from './folded-readings.ts';
import { compileGlob } from './glob.ts';

/** The front controller of an application. The rest of the path is the page that it shows. */
const FRONT_CONTROLLER = /\/index\.[^/]+$/i;

/**
 * Compiles a glob that exempts paths: `skip`, or a rule that allows. Where a path goes on after the name of a script,
 * the glob has to match the script too, or to name a script. Otherwise `/login.php/x.css`, for which a server runs
 * `/login.php`, would be exempt as a style sheet.
 */
export function compileExemption(glob: string): (path: string) => boolean {
  const matches = compileGlob(glob);
  if (SCRIPT.test(`${glob}/`)) return matches;
  return (path) => {
    if (!matches(path)) return false;
    const script = SCRIPT.exec(path);
    if (script === null) return true;
    const scriptPath = path.slice(0, script.index + script[0].length);
    return FRONT_CONTROLLER.test(scriptPath) || matches(scriptPath);
  };
}
