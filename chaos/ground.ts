import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where one fault is tried. Whatever it starts is ended behind it, the last first, however it ends. */
export interface Ground {
  readonly behind: (end: () => unknown) => void;
  /** Tells somebody at a terminal what is being done. */
  readonly say: (text: string) => void;
}

export interface GroundOptions {
  readonly say: Ground['say'];
  /** Ends what is tried there at once, and what it started in order. */
  readonly signal: AbortSignal;
}

/** Rejects with what `run` rejects with, else with what could not be ended. */
export async function onGround<T>(
  { say, signal }: GroundOptions,
  run: (ground: Ground) => Promise<T>,
): Promise<T> {
  const ends: (() => unknown)[] = [];
  const told = once(signal, 'abort').then(() => Promise.reject(new Error('it was told to end')));
  const [tried] = await Promise.allSettled([
    Promise.race([run({ say, behind: (end) => ends.push(end) }), told]),
  ]);
  const left: unknown[] = [];
  for (const end of ends.toReversed()) {
    try {
      await end();
    } catch (error) {
      left.push(error);
    }
  }
  if (tried.status === 'rejected') throw tried.reason;
  if (left.length > 0) throw new AggregateError(left, `not everything ended: ${left.join(', ')}`);
  return tried.value;
}

/** A folder that is gone behind the fault. */
export async function scratch(ground: Ground): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-chaos-'));
  ground.behind(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
