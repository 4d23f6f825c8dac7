import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Where a test file runs. `share`: in a process with other files that only compute and use sockets.
 * `wait`: in a process with other files that wait for a browser, a program or a thread half of their time.
 * `alone`: in a process of its own, because it changes what the next file would find.
 */
export type TestRoom = 'alone' | 'share' | 'wait';

/** A test file waits for a program or a thread when it, or a file that it imports, uses one of these modules. */
const WAITS_FOR: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:worker_threads',
  'playwright-core',
]);

/** Changes of the clock, of the environment or of the folder in the text of the test file. */
const CHANGES_PROCESS =
  /\bvi\.(use|stub|mock)|(?:\bdelete |\()process\.env\b|\bprocess\.(env[^\s,;)}]* (?:\?\?)?=(?!=)|on\(|chdir|umask|exit)|\bprocess, '|startHttp1Rig|\bglobalThis\.\w+ =/;

/** A hook of a helper runs only for the first of the files that share the helper. */
const HOOK_AT_LOAD = /^(?:before|after)(?:All|Each)\(/m;

/** Synchronous programs keep one core busy, like the test itself. Environment data starts no thread. */
const ENDS_BEFORE_RETURN =
  /^import \{(?:\s*\w+(?:Sync|EnvironmentData),?)+\s*\} from 'node:(?:child_process|worker_threads)'/;

const IMPORT =
  /^(?:import|export)\s(?!type\b)(?:[^;'"]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/**
 * Decides where each test file runs. Loading the product again for each file costs more than most tests.
 * It depends on the imports of a file, so there is no list of names that can become out of date.
 *
 * @param files paths relative to `root`
 */
export function roomsOf(
  files: readonly string[],
  root: string,
): Record<TestRoom, readonly string[]> {
  const importsByFile = new Map<string, readonly string[]>();
  const { resolve } = createRequire(join(root, 'package.json'));

  function importsOf(file: string): readonly string[] {
    const imports =
      importsByFile.get(file) ?? [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(target);
    importsByFile.set(file, imports);
    return imports;

    function target([statement, named = '', later = '']: RegExpExecArray): string {
      const name = ENDS_BEFORE_RETURN.test(statement) ? 'ended' : named || later;
      if (name.startsWith('.')) return join(dirname(file), name);
      return name.startsWith('@guard/') ? resolve(name) : name;
    }
  }

  function roomOf(file: string): TestRoom {
    if (CHANGES_PROCESS.test(readFileSync(file, 'utf8'))) return 'alone';
    let room: TestRoom = 'share';
    const reachedFiles = new Set([file]);
    // The loop also visits elements that are added meanwhile.
    for (const reachedFile of reachedFiles) {
      if (WAITS_FOR.has(reachedFile)) room = 'wait';
      // Text in a test can look like an import.
      if (!reachedFile.endsWith('.ts') || !existsSync(reachedFile)) continue;
      if (reachedFile !== file && HOOK_AT_LOAD.test(readFileSync(reachedFile, 'utf8')))
        return 'alone';
      for (const imported of importsOf(reachedFile)) reachedFiles.add(imported);
    }
    return room;
  }

  const rooms: Record<TestRoom, string[]> = { alone: [], share: [], wait: [] };
  for (const file of files) rooms[roomOf(join(root, file))].push(file);
  return rooms;
}
