import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time between two checks of the files. A change is applied after two checks, so within a second. */
const LOOK_EVERY_MS = 400;

export interface Watch {
  /** Treats the current state of the files as known, so that only later changes are reported. */
  acknowledge(): Promise<void>;
  /** Does the same as `acknowledge`, but only for files that were not watched before. */
  acknowledgeNew(): Promise<void>;
  stop(): void;
}

export interface WatchOptions {
  /**
   * The files to watch. It is called at each check, because new settings can name other files. For a folder, its
   * entries are watched.
   */
  readonly files: () => readonly string[];
  /** Called with the changed files, when two checks in a row find the same state. */
  readonly onChange: (changed: readonly string[]) => void;
  readonly everyMs?: number;
}

/**
 * Checks files with `stat` again and again. Notifications of the system miss some changes: when an editor replaces the
 * file, when Kubernetes changes a link above it, when a file appears later, and in a network folder.
 */
export function watchFiles({ files, onChange, everyMs = LOOK_EVERY_MS }: WatchOptions): Watch {
  const stop = new AbortController();
  /** The state of each file that was reported or acknowledged. */
  let reportedStates = new Map<string, string>();
  let lastStates = new Map<string, string>();

  async function checkOnce(): Promise<void> {
    const earlierStates = lastStates;
    lastStates = await statesOf(files());
    reportedStates = new Map([...lastStates, ...reportedStates]);
    const changedFiles = [...lastStates.keys()].filter(
      (file) => reportedStates.get(file) !== lastStates.get(file),
    );
    const isQuiet = changedFiles.every((file) => earlierStates.get(file) === lastStates.get(file));
    if (changedFiles.length === 0 || !isQuiet || stop.signal.aborted) return;
    reportedStates = new Map([...reportedStates, ...lastStates]);
    onChange(changedFiles);
  }

  async function keepLooking(): Promise<void> {
    while (!stop.signal.aborted) {
      await checkOnce();
      const { signal } = stop;
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  void keepLooking();
  return {
    async acknowledge() {
      reportedStates = await statesOf(files());
    },
    async acknowledgeNew() {
      reportedStates = new Map([...(await statesOf(files())), ...reportedStates]);
    },
    stop: () => stop.abort(),
  };
}

async function statesOf(files: readonly string[]): Promise<Map<string, string>> {
  return new Map(
    await Promise.all(files.map(async (file) => [file, await stateOf(file)] as const)),
  );
}

/** The state of a file as a text. The text changes when the file, its target or its permissions change. */
async function stateOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
