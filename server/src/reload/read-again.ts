import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Environment } from '@guard/config/settings/reading/environment';
import {
  type LoadedSettings,
  type LoadResult,
  filesNamedAt,
  loadByEntry,
  loadSettings,
  type Position,
  type SettingPath,
} from '@guard/config/settings/load';
import { formatPath } from '@guard/config/settings/problems/problems';
import { makeRevision, settingsRevision } from '@guard/config/settings/derived/revision';
import type { KeptEntries } from '@guard/config/settings/read-by-entry';
import { Settings } from '@guard/config/settings/schema';
import { readTextFile } from '@guard/config/settings/values/files';
import { atOnce, inSlices, workInSlices } from '@guard/config/time/slices';
import { fromPieces } from './settings-pieces.ts';

type Invalid = Extract<LoadResult, { kind: 'invalid' }>;

export interface NewSettings {
  readonly settings: Settings;
  readonly revision: string;
}

/** Settings, or the problems in them. */
export type SettingsReading = (LoadedSettings & NewSettings) | Invalid;

export interface ReadRequest {
  readonly file: string;
  readonly env: Environment;
}

export type ReadMessage =
  | {
      readonly kind: 'loaded';
      readonly pieces: readonly Uint8Array[];
      readonly files: readonly string[];
      readonly places: ReadonlyMap<string, Position>;
      readonly revision: string;
    }
  | Invalid;

const SETTINGS_THREAD = new URL('./settings-thread.ts', import.meta.url);

/** Files that together have fewer bytes are read within a few milliseconds. A thread takes half a second to start. */
const SMALL_BYTES = 16 * 1024;

const NO_ENTRIES = { organisations: new Map(), sites: new Map(), rules: new Map() } as const;

/** Reads the settings of a running Guard, at its start and at each reload. */
export class SettingsReader {
  readonly #file: string;
  readonly #env: Environment;
  /** Data of the last reading that had no problem. The data makes the next reading faster. */
  #keptEntries: KeptEntries | undefined;

  constructor(file: string, env: Environment) {
    this.#file = file;
    this.#env = env;
  }

  /**
   * Reads the settings at the start, when no request waits. Like `guard check`, it reads the whole of a small file at
   * once.
   */
  readFirst(): LoadResult {
    if (readTextFile(this.#file, SMALL_BYTES).kind === 'read') {
      const loadResult = loadSettings(this.#file, this.#env);
      if (loadResult.kind === 'loaded')
        this.#keptEntries = { ...NO_ENTRIES, lists: loadResult.lists };
      return loadResult;
    }
    const options = { kept: undefined, maxBytes: Number.POSITIVE_INFINITY };
    const reading = atOnce(loadByEntry(this.#file, this.#env, options));
    this.#keptEntries = reading?.kept;
    return reading ?? loadSettings(this.#file, this.#env);
  }

  /**
   * Reads settings like `loadSettings`, but without stopping requests. In a large file it reads only the changed
   * entries, or a separate thread reads the whole file. `files` are the files that the settings named at the last
   * reading.
   */
  async readAgain(files: readonly string[]): Promise<SettingsReading> {
    if (await this.#isSmall(files)) {
      const result = loadSettings(this.#file, this.#env);
      return result.kind === 'invalid'
        ? result
        : { ...result, revision: settingsRevision(result.settings) };
    }
    const options = { kept: this.#keptEntries, maxBytes: SMALL_BYTES };
    const pause = inSlices();
    const reading = await workInSlices(loadByEntry(this.#file, this.#env, options), pause);
    if (reading === undefined) return this.#readInThread();
    this.#keptEntries = reading.kept;
    return { ...reading, revision: await workInSlices(makeRevision(reading.settings), pause) };
  }

  async #isSmall(files: readonly string[]): Promise<boolean> {
    if (!(await areSmall([this.#file, ...files]))) return false;
    // The settings can name other files than at the last reading.
    const namedFiles = filesNamedAt(this.#file, this.#env);
    return namedFiles !== undefined && areSmall([this.#file, ...namedFiles]);
  }

  async #readInThread(): Promise<SettingsReading> {
    const reading = await readInThread(this.#file, this.#env);
    if (reading.kind === 'loaded' && this.#keptEntries)
      this.#keptEntries = { ...this.#keptEntries, lists: reading.lists };
    return reading;
  }
}

/** A missing file has no bytes, and `loadSettings` reports it. */
async function areSmall(files: readonly string[]): Promise<boolean> {
  const sizes = files.map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) <= SMALL_BYTES;
}

/** A larger young generation takes 100 MB more at its peak, and does not save processor time. */
const YOUNG_GENERATION_MB = 24;

async function readInThread(file: string, env: Environment): Promise<SettingsReading> {
  await using thread = new Worker(SETTINGS_THREAD, {
    workerData: { file, env } satisfies ReadRequest,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const answer = await Promise.race([
    once(thread, 'message').then(([message]) => message as ReadMessage),
    once(thread, 'exit').then(() => undefined),
  ]);
  if (answer === undefined) throw new Error('the thread that reads the settings has ended');
  if (answer.kind === 'invalid') return answer;
  const { pieces, files, places, revision } = answer;
  const receivedSettings = await fromPieces(pieces, inSlices());
  const positionOf = (path: SettingPath) => places.get(formatPath(path)) ?? { line: 1, column: 1 };
  return { kind: 'loaded', ...receivedSettings, files, revision, positionOf };
}

/** The positions of settings that the log of a reload can name: the settings that need a restart (changes.ts). */
export function positionsOfSettings({ positionOf }: LoadedSettings): ReadonlyMap<string, Position> {
  const names = Object.keys(Settings.shape);
  const listeners = Object.keys(Settings.shape.listen.shape);
  const paths: SettingPath[] = [
    ...names.map((name) => [name]),
    ...listeners.map((name) => ['listen', name]),
  ];
  return new Map(paths.map((path) => [formatPath(path), positionOf(path)]));
}
