import { SCRIPT } from './folded-readings.ts';
import { compileGlob } from './glob.ts';

/** The front controller of an application: one script that shows all pages. The rest of the path names the page. */
const FRONT_CONTROLLER = /\/index\.[^/]+$/i;

/**
 * Compiles a glob that exempts paths: `skip`, or a rule that allows. When a path has more text after the name of a
 * script, a glob without the name of a script also has to match the path up to the script. Otherwise `/login.php/x.css`,
 * for which a server runs `/login.php`, would be exempt as a style sheet.
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
