import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What a test file, or anything that it imports, can leave behind in its process for the next file. */
const LEFT_BEHIND: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:worker_threads',
  'playwright-core',
]);

/** The same, in the text of the test file itself: another clock, another environment, another folder. */
const CHANGES_PROCESS =
  /\bvi\.(use|stub|mock)|\bprocess\.(env\b|on\(|chdir|umask|exit)|\bprocess, '|startHttp1Rig|\bglobalThis\.\w+ =/;

/** What a helper does once for all files that share it, and only the first of them would end. */
const HOOK_AT_LOAD = /^(?:before|after)(?:All|Each)\(/m;

/** Programs that are waited for leave nothing behind. */
const ONLY_WAITS = /^import \{(?:\s*\w+Sync,?)+\s*\} from 'node:child_process'/;

const IMPORT =
  /^(?:import|export)\s(?!type\b)(?:[^;'"]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/**
 * Which test files need a process of their own. The others share one, which saves loading the product
 * again for each. Decided by what a file imports, directly or not, so no list of names can be out of date.
 */
export function filesThatRunAlone(files: readonly string[], root: string): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const { resolve } = createRequire(join(root, 'package.json'));

  function importsOf(file: string): readonly string[] {
    const found = known.get(file) ?? [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(target);
    known.set(file, found);
    return found;

    function target([statement, named = '', later = '']: RegExpExecArray): string {
      const name = ONLY_WAITS.test(statement) ? 'waits' : named || later;
      if (name.startsWith('.')) return join(dirname(file), name);
      return name.startsWith('@guard/') ? resolve(name) : name;
    }
  }

  function runsAlone(file: string): boolean {
    if (CHANGES_PROCESS.test(readFileSync(file, 'utf8'))) return true;
    const reached = new Set([file]);
    // A set that grows while it is walked is walked to its new end.
    for (const one of reached) {
      if (LEFT_BEHIND.has(one)) return true;
      // Text in a test can look like an import.
      if (!one.endsWith('.ts') || !existsSync(one)) continue;
      if (one !== file && HOOK_AT_LOAD.test(readFileSync(one, 'utf8'))) return true;
      for (const next of importsOf(one)) reached.add(next);
    }
    return false;
  }

  return files.filter((file) => runsAlone(join(root, file)));
}
