import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ModuleText, readModuleText, renameLiterals } from './module-text.ts';

/** What esbuild reads as TypeScript, to make the pages of browsers of it. Node runs none of it. */
export const BROWSER_CODE = /^(?:validator\/browser\/(?:page|script|work)|dashboard\/page)\//;

/** `x.ts` as `x.js`; any other name as it is. */
export function jsName(path: string): string {
  return path.replace(/\.ts$/, '.js');
}

/**
 * The modules that Guard can load, as JavaScript. It begins with `entry` and follows each module that one names, in an
 * import or as the program of a thread or process. Tests are not reached: no such module names them. `./x.ts` becomes
 * `./x.js`, and `@guard/x` becomes `#guard/x`: the `imports` of the one package.json resolve that.
 *
 * @param entry relative to `root`
 * @param exported what `@guard/…` names, relative to `root`; undefined where no package says so
 * @returns texts by their path in the tarball
 */
export function productionModules(
  root: string,
  entry: string,
  exported: (name: string) => string | undefined,
): ReadonlyMap<string, string> {
  const modules = new Map<string, ModuleText>();
  const open = new Set([entry]);
  // A set that grows while it is walked is walked to its new end.
  for (const file of open) {
    const module = readModuleText(file, readFileSync(join(root, file), 'utf8'));
    modules.set(file, module);
    for (const { text } of module.literals) {
      const next = moduleOf(file, text);
      if (next !== undefined) open.add(next);
    }
  }
  return new Map(
    [...modules].map(([file, module]): [string, string] => [
      jsName(file),
      renameLiterals(module, (name) => nameIn(file, name)),
    ]),
  );

  function moduleOf(file: string, name: string): string | undefined {
    if (name.startsWith('@guard/')) return exported(name);
    const path = join(dirname(file), name);
    const isModule = /^[\w.-].*\.ts$/.test(name) && !BROWSER_CODE.test(path);
    return isModule && existsSync(join(root, path)) ? path : undefined;
  }

  function nameIn(file: string, name: string): string {
    if (moduleOf(file, name) === undefined) return name;
    return name.startsWith('@guard/') ? `#${name.slice(1)}` : jsName(name);
  }
}
