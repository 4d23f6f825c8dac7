import { readFile } from 'node:fs/promises';
import type { Clock, Log } from '@guard/config/contract/ports';
import { writeWhole } from '../base/write-whole.ts';

/**
 * Decides whether to trust the clock for deletions: when the clock is 100 days ahead, all rows look older than 90 days.
 */

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 1000;
const SAVE_EVERY_MS = 60_000;

interface ClockState {
  /** The last trusted time, in milliseconds since 1970. */
  readonly trustedAt: number;
  /** Set while the clock is not trusted: the first and the last time that the clock showed since then. */
  readonly doubt?: { readonly since: number; readonly seenAt: number };
}

/**
 * Returns the new state when the clock says `nowMs`. After a forward step of more than a day the clock is not trusted.
 * It is trusted again after one more day without a forward step of this size, or when it is set back.
 */
export function lookAtClock(lastState: ClockState | undefined, nowMs: number): ClockState {
  if (lastState === undefined || nowMs - lastState.trustedAt <= DAY_MS) return { trustedAt: nowMs };
  const { trustedAt, doubt } = lastState;
  const step = doubt === undefined ? Infinity : nowMs - doubt.seenAt;
  if (doubt === undefined || step < 0 || step > DAY_MS) {
    return { trustedAt, doubt: { since: nowMs, seenAt: nowMs } };
  }
  if (nowMs - doubt.since >= DAY_MS) return { trustedAt: nowMs };
  return { trustedAt, doubt: { since: doubt.since, seenAt: nowMs } };
}

export interface ClockTrust {
  /** True while no row may be deleted because of its age. */
  isDoubted(): boolean;
  close(): void;
}

/** Checks the clock every second and keeps the state in `file`. When there is no such file, the clock is trusted. */
export async function openClockTrust(options: {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChanged: () => void;
}): Promise<ClockTrust> {
  const { file, clock, log, onChanged } = options;
  let clockState = lookAtClock(await readState(file), clock());
  let savedAt = -Infinity;
  if (clockState.doubt !== undefined) report();
  await save();
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();

  function look(): void {
    const stateBefore = clockState;
    clockState = lookAtClock(stateBefore, clock());
    const isChanged = (stateBefore.doubt === undefined) !== (clockState.doubt === undefined);
    if (isChanged) {
      report();
      onChanged();
    }
    if (isChanged || performance.now() - savedAt >= SAVE_EVERY_MS) void save();
  }

  function report(): void {
    const { trustedAt, doubt } = clockState;
    if (doubt === undefined) {
      log('info', 'analytics_deletion_resumed');
      return;
    }
    const [lastTrusted, clockTime] = [trustedAt, doubt.seenAt].map((ms) =>
      new Date(ms).toISOString(),
    );
    log('warn', 'analytics_deletion_held', {
      reason: `the clock says ${clockTime}, and its last trusted time was ${lastTrusted}; if it is right, deletion goes on after a day, or at the next start if you remove ${file}`,
    });
  }

  /** When the disk is full, the file stays unchanged. Then the next start can distrust a correct clock. */
  async function save(): Promise<void> {
    savedAt = performance.now();
    await writeWhole(file, textOf(clockState)).catch(() => (savedAt = -Infinity));
  }

  return { isDoubted: () => clockState.doubt !== undefined, close: () => clearInterval(timer) };
}

/** One line: the last trusted time, and the first and the last doubted time if there are any. */
function textOf({ trustedAt, doubt }: ClockState): string {
  return `${[trustedAt, ...(doubt ? [doubt.since, doubt.seenAt] : [])].join(' ')}\n`;
}

async function readState(file: string): Promise<ClockState | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [, trustedAt, since, seenAt] = /^(\d+)(?: (\d+) (\d+))?\n$/.exec(text) ?? [];
  if (trustedAt === undefined) return undefined;
  return {
    trustedAt: Number(trustedAt),
    ...(since !== undefined && { doubt: { since: Number(since), seenAt: Number(seenAt) } }),
  };
}
