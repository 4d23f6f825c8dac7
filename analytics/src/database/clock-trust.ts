import { readFile } from 'node:fs/promises';
import type { Clock, Log } from '@guard/config/contract/ports';
import { writeWhole } from '../base/write-whole.ts';

/**
 * Decides whether the clock can be trusted when rows are deleted because of their age. If the clock is a
 * hundred days ahead, every row looks older than the 90 days for which rows are kept.
 */

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 1000;
const SAVE_EVERY_MS = 60_000;

interface ClockState {
  /** The last trusted time, in milliseconds since 1970. */
  readonly believedAt: number;
  /** Set while the clock is not trusted: its first and its last time since then. */
  readonly doubted?: { readonly since: number; readonly seenAt: number };
}

/**
 * The new state when the clock says `nowMs`. A step of more than a day ahead is not trusted. The clock is
 * trusted again when it has run for one more day without another such step, or when it is back. A clock that
 * is behind deletes too little, which does no harm.
 */
export function lookAtClock(known: ClockState | undefined, nowMs: number): ClockState {
  if (known === undefined || nowMs - known.believedAt <= DAY_MS) return { believedAt: nowMs };
  const { believedAt, doubted } = known;
  const step = doubted === undefined ? Infinity : nowMs - doubted.seenAt;
  if (doubted === undefined || step < 0 || step > DAY_MS) {
    return { believedAt, doubted: { since: nowMs, seenAt: nowMs } };
  }
  if (nowMs - doubted.since >= DAY_MS) return { believedAt: nowMs };
  return { believedAt, doubted: { since: doubted.since, seenAt: nowMs } };
}

export interface ClockTrust {
  /** True while no row may be deleted because of its age. */
  doubted(): boolean;
  close(): void;
}

/** Looks at the clock every second and keeps the state in `file`. Without this file, the clock is trusted. */
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
    const { believedAt, doubted } = known;
    if (doubted === undefined) {
      log('info', 'analytics_deletion_resumed');
      return;
    }
    const [last, now] = [believedAt, doubted.seenAt].map((ms) => new Date(ms).toISOString());
    log('warn', 'analytics_deletion_held', {
      reason: `the clock says ${now}, and said ${last} when it was believed last; if it is right, deletion goes on after a day, or without ${file} at the next start`,
    });
  }

  /** On a full disk the file stays as it was. The next start may then doubt the clock without need. */
  async function save(): Promise<void> {
    savedAt = performance.now();
    await writeWhole(file, textOf(known)).catch(() => (savedAt = -Infinity));
  }

  return { doubted: () => known.doubted !== undefined, close: () => clearInterval(timer) };
}

/** One line: the last trusted time, then the first and the last doubted time if there are any. */
function textOf({ believedAt, doubted }: ClockState): string {
  return `${[believedAt, ...(doubted ? [doubted.since, doubted.seenAt] : [])].join(' ')}\n`;
}

async function readState(file: string): Promise<ClockState | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [, believedAt, since, seenAt] = /^(\d+)(?: (\d+) (\d+))?\n$/.exec(text) ?? [];
  if (believedAt === undefined) return undefined;
  return {
    believedAt: Number(believedAt),
    ...(since !== undefined && { doubted: { since: Number(since), seenAt: Number(seenAt) } }),
  };
}
