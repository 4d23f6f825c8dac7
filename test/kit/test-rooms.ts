import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The kind of process in which a test file runs. `share`: together with other files that only compute and use sockets.
 * `wait`: together with other files that wait for a browser, a program or a thread half of their time. `alone`: in its
 * own process, because it changes the process for the next file.
 */
export type TestRoom = 'alone' | 'share' | 'wait';

/** A test file waits for a program or a thread when it uses one of these modules, directly or through its imports. */
const WAITS_FOR: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:worker_threads',
  'playwright-core',
]);

/** Finds, in the text of a test file, changes of the clock, of the environment or of the current folder. */
const CHANGES_PROCESS =
  /\bvi\.(use|stub|mock)|(?:\bdelete |\()process\.env\b|\bprocess\.(env[^\s,;)}]* (?:\?\?)?=(?!=)|on\(|chdir|umask|exit)|\bprocess, '|startHttp1Rig|\bglobalThis\.\w+ =/;

/** Finds hooks in a helper. When several test files share a process, such a hook runs only for the first file. */
const HOOK_AT_LOAD = /^(?:before|after)(?:All|Each)\(/m;

/**
 * Finds imports that lead to no waiting. A program that runs synchronously keeps one core busy, like the test itself.
 * Environment data starts no thread.
 */
const ENDS_BEFORE_RETURN =
  /^import \{(?:\s*\w+(?:Sync|EnvironmentData),?)+\s*\} from 'node:(?:child_process|worker_threads)'/;

const IMPORT =
  /^(?:import|export)\s(?!type\b)(?:[^;'"]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/**
 * Decides where each test file runs. Files share a process, because loading the product again for each file takes
 * longer than most tests. The decision depends on the text and the imports of a file, so no list of names can become
 * out of date.
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
    // The loop also visits elements that are added while it runs.
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
