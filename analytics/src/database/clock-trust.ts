import { readFile } from 'node:fs/promises';
import type { Clock, Log } from '@guard/config/contract/ports';
import { writeWhole } from '../base/write-whole.ts';

/** Decides whether to trust the clock for deletions: with a clock 100 days ahead, all rows look older than 90 days. */

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 1000;
const SAVE_EVERY_MS = 60_000;

interface ClockState {
  /** The last trusted time, in milliseconds since 1970. */
  readonly trustedAt: number;
  /** Set while the clock is not trusted: the first and the last time that it showed since then. */
  readonly doubted?: { readonly since: number; readonly seenAt: number };
}

/**
 * The new state when the clock says `nowMs`. After a step of more than a day ahead the clock is not trusted. It is
 * trusted again after it has run for one more day without such a step, or when it is set back. A slow clock deletes too
 * little, which does no harm.
 */
export function lookAtClock(known: ClockState | undefined, nowMs: number): ClockState {
  if (known === undefined || nowMs - known.trustedAt <= DAY_MS) return { trustedAt: nowMs };
  const { trustedAt, doubted } = known;
  const step = doubted === undefined ? Infinity : nowMs - doubted.seenAt;
  if (doubted === undefined || step < 0 || step > DAY_MS) {
    return { trustedAt, doubted: { since: nowMs, seenAt: nowMs } };
  }
  if (nowMs - doubted.since >= DAY_MS) return { trustedAt: nowMs };
  return { trustedAt, doubted: { since: doubted.since, seenAt: nowMs } };
}

export interface ClockTrust {
  /** True while no row may be deleted because of its age. */
  doubted(): boolean;
  close(): void;
}

/** Checks the clock every second and keeps the state in `file`. Without this file, the clock is trusted. */
export async function openClockTrust(options: {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: () => void;
}): Promise<ClockTrust> {
  const { file, clock, log, changed } = options;
  let known = lookAtClock(await readState(file), clock());
  let savedAt = -Infinity;
  if (known.doubted !== undefined) report();
  await save();
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();

  function look(): void {
    const before = known;
    known = lookAtClock(before, clock());
    const isChanged = (before.doubted === undefined) !== (known.doubted === undefined);
    if (isChanged) {
      report();
      changed();
    }
    if (isChanged || performance.now() - savedAt >= SAVE_EVERY_MS) void save();
  }

  function report(): void {
    const { trustedAt, doubted } = known;
    if (doubted === undefined) {
      log('info', 'analytics_deletion_resumed');
      return;
    }
    const [last, now] = [trustedAt, doubted.seenAt].map((ms) => new Date(ms).toISOString());
    log('warn', 'analytics_deletion_held', {
      reason: `the clock says ${now}, and its last trusted time was ${last}; if it is right, deletion goes on after a day, or at the next start if you remove ${file}`,
    });
  }

  /** On a full disk the file stays unchanged. The next start may then distrust the clock without need. */
  async function save(): Promise<void> {
    savedAt = performance.now();
    await writeWhole(file, textOf(known)).catch(() => (savedAt = -Infinity));
  }

  return { doubted: () => known.doubted !== undefined, close: () => clearInterval(timer) };
}

/** One line: the last trusted time, then the first and the last doubted time if there are any. */
function textOf({ trustedAt, doubted }: ClockState): string {
  return `${[trustedAt, ...(doubted ? [doubted.since, doubted.seenAt] : [])].join(' ')}\n`;
}

async function readState(file: string): Promise<ClockState | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [, trustedAt, since, seenAt] = /^(\d+)(?: (\d+) (\d+))?\n$/.exec(text) ?? [];
  if (trustedAt === undefined) return undefined;
  return {
    trustedAt: Number(trustedAt),
    ...(since !== undefined && { doubted: { since: Number(since), seenAt: Number(seenAt) } }),
  };
}
