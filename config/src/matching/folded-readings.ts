import { foldPath } from './glob.ts';

/** A script with more text after its name (RFC 3875 4.1.5, PATH_INFO). In `/cgi-bin/` each name is a script. */
export const SCRIPT = /\.(?:php[0-9]?|phtml|aspx?|cfm|f?cgi)(?=\/)|\/f?cgi-bin\/[^/]+(?=\/)/i;

/** The index of a folder. Only a script answers at paths below it. */
const INDEX = /\/index\.(?:(?:php[0-9]?|phtml|aspx?|cfm|f?cgi)(?=\/|$)|html?$)/;

/** The format of an answer at the end of a path. Rails and chi with URLFormat route `/login.json` as `/login`. */
const FORMAT = /(?<=[^/])\.[^/.]+$/;

/** Methods that get a file. For them, `/search.js` is a file, and not a format of `/search`. */
const FILE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The readings with which a protection compares a path. Returns the same list when nothing changes. Otherwise the result
 * has each reading folded by {@link foldPath}, and in addition:
 *
 * - the script that gets the rest of the path: `/login.php/x` runs `/login.php`;
 * - the path that a front controller routes: `/index.php/login` is `/login` for Symfony and Laravel;
 * - the folder of an index: `/docs/index.html` is `/docs/`;
 * - the path without a format, for methods that get no file: `POST /login.json` is `POST /login`.
 *
 * An exemption is not compared with these additional readings, because it may name a path behind a script (exemption.ts).
 */
export function foldReadings(readings: readonly string[], method: string): readonly string[] {
  const [first = ''] = readings;
  const hasFormat = (path: string) => !FILE_METHODS.has(method) && FORMAT.test(path);
  if (readings.length === 1 && foldPath(first) === first && !hasScript(first) && !hasFormat(first))
    return readings;
  const foldedReadings = new Set(readings.map(foldPath));
  for (const path of [...foldedReadings].filter(hasScript)) {
    const script = SCRIPT.exec(path);
    if (script) foldedReadings.add(path.slice(0, script.index + script[0].length));
    // This reading comes last, because the last reading gives the part of the site its name.
    foldedReadings.add(foldPath(path.replace(INDEX, '') || '/'));
  }
  const withoutFormat = [...foldedReadings]
    .filter(hasFormat)
    .map((path) => path.replace(FORMAT, ''));
  return [...new Set([...withoutFormat, ...foldedReadings])];
}

function hasScript(foldedPath: string): boolean {
  return SCRIPT.test(foldedPath) || INDEX.test(foldedPath);
}
