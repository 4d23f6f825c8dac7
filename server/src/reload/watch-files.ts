import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often the files are looked at: what changed is in force within a second, two looks later. */
const LOOK_EVERY_MS = 400;

export interface Watch {
  /** What the files are like now is known: only a change from here on is one. */
  acknowledge(): Promise<void>;
  /** The same for files that are named for the first time, and no others. */
  acknowledgeNew(): Promise<void>;
  stop(): void;
}

export interface WatchOptions {
  /** Asked at every look, since new settings may name other files. Of a folder, its entries are watched. */
  readonly files: () => readonly string[];
  /** Called with the files that changed, once none of them has changed from one look to the next. */
  readonly onChange: (changed: readonly string[]) => void;
  readonly everyMs?: number;
}

/**
 * Looks at files by `stat` again and again. Unlike a notification of the system that also sees a file
 * that another one takes the place of (editors), a link above it that is turned (Kubernetes), a file that
 * appears later, and a folder on the network. Does not keep the process alive.
 */
export function watchFiles({ files, onChange, everyMs = LOOK_EVERY_MS }: WatchOptions): Watch {
  const stopped = new AbortController();
  /** The state of each file that was acted upon. */
  let known = new Map<string, string>();
  /** As of the last look. */
  let seen = new Map<string, string>();

  async function look(): Promise<void> {
    const before = seen;
    seen = await statesOf(files());
    known = new Map([...seen, ...known]);
    const changed = [...seen.keys()].filter((file) => known.get(file) !== seen.get(file));
    const isQuiet = changed.every((file) => before.get(file) === seen.get(file));
    if (changed.length === 0 || !isQuiet || stopped.signal.aborted) return;
    known = new Map([...known, ...seen]);
    onChange(changed);
  }

  async function keepLooking(): Promise<void> {
    while (!stopped.signal.aborted) {
      await look();
      const { signal } = stopped;
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  void keepLooking();
  return {
    async acknowledge() {
      known = await statesOf(files());
    },
    async acknowledgeNew() {
      known = new Map([...(await statesOf(files())), ...known]);
    },
    stop: () => stopped.abort(),
  };
}

async function statesOf(files: readonly string[]): Promise<Map<string, string>> {
  return new Map(
    await Promise.all(files.map(async (file) => [file, await stateOf(file)] as const)),
  );
}

/** Another text whenever the file, what it points to, or its permissions may be others. */
async function stateOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
