import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ModuleText, readModuleText, renameLiterals } from './module-text.ts';

/** TypeScript that esbuild bundles for browsers. Node does not run it. */
export const BROWSER_CODE = /^(?:validator\/browser\/(?:page|script|work)|dashboard\/page)\//;

/** Returns `x.js` for `x.ts`. Other names do not change. */
export function jsName(path: string): string {
  return path.replace(/\.ts$/, '.js');
}

/**
 * Returns the modules that Guard can load, as JavaScript. Begins with `entry`, and follows each module that a module
 * names in an import or as the program of a thread or process. So no test is among them. `./x.ts` becomes `./x.js`.
 * `@guard/x` becomes `#guard/x`, and the `imports` of package.json resolve this name.
 *
 * @param entry relative to `root`
 * @param exportedFile the file of a name `@guard/…`, relative to `root`; undefined for an unknown name
 * @returns texts by their path in the tarball
 */
export function productionModules(
  root: string,
  entry: string,
  exportedFile: (name: string) => string | undefined,
): ReadonlyMap<string, string> {
  const modules = new Map<string, ModuleText>();
  const open = new Set([entry]);
  // The loop also visits elements that are added while it runs.
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
    if (name.startsWith('@guard/')) return exportedFile(name);
    const path = join(dirname(file), name);
    const isModule = /^[\w.-].*\.ts$/.test(name) && !BROWSER_CODE.test(path);
    return isModule && existsSync(join(root, path)) ? path : undefined;
  }

  function nameIn(file: string, name: string): string {
    if (moduleOf(file, name) === undefined) return name;
    return name.startsWith('@guard/') ? `#${name.slice(1)}` : jsName(name);
  }
}
