import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Environment } from '@guard/config/settings/reading/environment';
import {
  type Loaded,
  type LoadResult,
  filesNamedAt,
  loadSettings,
  type Position,
  type SettingPath,
} from '@guard/config/settings/load';
import { formatPath } from '@guard/config/settings/problems/problems';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import { Settings } from '@guard/config/settings/schema';
import { inSlices } from '@guard/config/time/slices';
import { fromPieces, toPieces } from './settings-pieces.ts';

type Invalid = Extract<LoadResult, { kind: 'invalid' }>;

/** Settings to be applied. */
export interface NewSettings {
  readonly settings: Settings;
  readonly revision: string;
  /** The same settings, for the worker threads. */
  readonly pieces: readonly Uint8Array[];
}

/** Settings that were read, or what is wrong with them. */
export type SettingsRead = (Loaded & NewSettings) | Invalid;

/** What a thread is asked to read. */
export interface ReadRequest {
  readonly file: string;
  readonly env: Environment;
}

/** What it found. */
export type ReadMessage =
  | {
      readonly kind: 'loaded';
      readonly pieces: readonly Uint8Array[];
      readonly files: readonly string[];
      readonly places: ReadonlyMap<string, Position>;
      readonly revision: string;
    }
  | Invalid;

const THREAD = new URL('./settings-thread.ts', import.meta.url);

/** Files of this size together are read within a few milliseconds. A thread takes half a second to start. */
const SMALL_BYTES = 16 * 1024;

/**
 * Reads settings as `loadSettings` does. Large files are read in a thread of their own, and requests are answered
 * meanwhile.
 *
 * @param files what the settings named when they were read last: their sizes count, too.
 */
export async function readAgain(
  file: string,
  env: Environment,
  files: readonly string[],
): Promise<SettingsRead> {
  if (!(await isSmall([file, ...files]))) return readInThread(file, env);
  // The file may name others than before.
  const named = filesNamedAt(file, env);
  if (named === undefined || !(await isSmall([file, ...named]))) return readInThread(file, env);
  const result = loadSettings(file, env);
  return result.kind === 'invalid' ? result : { ...result, ...toBeApplied(result.settings) };
}

/** A file that is missing has no bytes. `loadSettings` says that it is missing. */
async function isSmall(files: readonly string[]): Promise<boolean> {
  const sizes = files.map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) <= SMALL_BYTES;
}

/** Of the thread. A larger one takes 100 MB more at its peak, and no less processor. */
const YOUNG_GENERATION_MB = 24;

async function readInThread(file: string, env: Environment): Promise<SettingsRead> {
  const thread = new Worker(THREAD, {
    workerData: { file, env } satisfies ReadRequest,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  try {
    const found = await Promise.race([
      once(thread, 'message').then(([message]) => message as ReadMessage),
      once(thread, 'exit').then(() => undefined),
    ]);
    if (found === undefined) throw new Error('the thread that reads the settings has ended');
    if (found.kind === 'invalid') return found;
    const { pieces, files, places, revision } = found;
    const settings = await fromPieces(pieces, inSlices());
    const positionOf = (path: SettingPath) => placeIn(places, path);
    return { kind: 'loaded', settings, files, revision, pieces, positionOf };
  } finally {
    await thread.terminate();
  }
}

/** The same for settings that this thread has read. */
export function toBeApplied(settings: Settings): NewSettings {
  return { settings, revision: settingsRevision(settings), pieces: toPieces(settings) };
}

/** The places that a reload can name: of the settings that need a restart (changes.ts). */
export function keyPlaces({ positionOf }: Loaded): ReadonlyMap<string, Position> {
  const names = Object.keys(Settings.shape);
  const listeners = Object.keys(Settings.shape.listen.shape);
  const paths: SettingPath[] = [
    ...names.map((name) => [name]),
    ...listeners.map((name) => ['listen', name]),
  ];
  return new Map(paths.map((path) => [formatPath(path), positionOf(path)]));
}

function placeIn(places: ReadonlyMap<string, Position>, path: SettingPath): Position {
  return places.get(formatPath(path)) ?? { line: 1, column: 1 };
}
