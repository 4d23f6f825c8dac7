import { readFile } from 'node:fs/promises';
import type { Clock, Log } from '@guard/config/contract/ports';
import { writeWhole } from '../base/write-whole.ts';

/**
 * Whether the clock can be believed when rows are deleted for their age. A clock that is a hundred days
 * ahead makes every row older than the 90 days that rows are kept.
 */

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 1000;
const SAVE_EVERY_MS = 60_000;

interface Known {
  /** The last time that was believed, in milliseconds since 1970. */
  readonly believedAt: number;
  /** A clock that is not believed: what it said first, and last. */
  readonly doubted?: { readonly since: number; readonly seenAt: number };
}

/**
 * What is known when the clock says `nowMs`. A step of more than a day ahead is not believed, until the
 * clock has gone on from there for a day without another one, or is back. A clock that is behind deletes
 * too little, which does no harm.
 */
export function lookAtClock(known: Known | undefined, nowMs: number): Known {
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
  /** True while nothing may be deleted for its age. */
  doubted(): boolean;
  close(): void;
}

/** Looks at the clock every second. What is known is kept in `file`; without one, the clock is believed. */
export async function openClockTrust(options: {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: () => void;
}): Promise<ClockTrust> {
  const { file, clock, log, changed } = options;
  let known = lookAtClock(await readKnown(file), clock());
  let savedAt = -Infinity;
  if (known.doubted !== undefined) tell();
  await save();
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();

  function look(): void {
    const before = known;
    known = lookAtClock(before, clock());
    const isChanged = (before.doubted === undefined) !== (known.doubted === undefined);
    if (isChanged) {
      tell();
      changed();
    }
    if (isChanged || performance.now() - savedAt >= SAVE_EVERY_MS) void save();
  }

  function tell(): void {
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

  /** On a full disk the file stays as it was: then there may be a doubt too many at the next start. */
  async function save(): Promise<void> {
    savedAt = performance.now();
    await writeWhole(file, textOf(known)).catch(() => (savedAt = -Infinity));
  }

  return { doubted: () => known.doubted !== undefined, close: () => clearInterval(timer) };
}

/** One line: when it was believed, and behind that when it was doubted first and last. */
function textOf({ believedAt, doubted }: Known): string {
  return `${[believedAt, ...(doubted ? [doubted.since, doubted.seenAt] : [])].join(' ')}\n`;
}

async function readKnown(file: string): Promise<Known | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [, believedAt, since, seenAt] = /^(\d+)(?: (\d+) (\d+))?\n$/.exec(text) ?? [];
  if (believedAt === undefined) return undefined;
  return {
    believedAt: Number(believedAt),
    ...(since !== undefined && { doubted: { since: Number(since), seenAt: Number(seenAt) } }),
  };
}
