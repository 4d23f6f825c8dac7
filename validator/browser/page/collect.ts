import type { Evidence, Readings } from '../../page-contract/evidence.ts';
import { clip, finite } from './clip.ts';
import { elapsed } from './elapsed.ts';
import { openEmptyFrame } from './empty-frame.ts';
import { LIMITS, WITNESSES } from '../../page-contract/limits.ts';
import type { SourceInput } from './source.ts';
import { watchActivation } from './sources/activation.ts';
import { painting } from './sources/painting.ts';
import { sources } from './sources.ts';
import { askWitnesses } from './witnesses.ts';

/** The data of one visit. */
type Asked = Omit<SourceInput, 'inside'> & {
  /** Empty when there are none. */
  readonly witnesses: string;
};

/**
 * Reads all sources at the same time, for one ticket. Some questions belong to the ticket, so the evidence fits no
 * other ticket. A source that fails or takes too long gets a value that says so. Never rejects.
 */
export async function collect({ witnesses, ...asked }: Asked): Promise<Evidence> {
  const startedAt = performance.now();
  const tookMs: Record<string, number> = {};
  const timed = async (name: string, source: () => unknown, limitMs?: number) => {
    const sourceStartedAt = performance.now();
    const reading = await read(source, limitMs);
    tookMs[name] = elapsed(sourceStartedAt);
    return [name, reading] as const;
  };
  const activation = watchActivation();
  // Loading takes longer than reading, so it starts first.
  const loaded = timed('witnesses', () => askWitnesses(witnesses), WITNESSES.waitMs + 1_000);
  const emptyFrame = openEmptyFrame();
  const input: SourceInput = { ...asked, inside: emptyFrame?.inside };
  let othersAreRead = (): void => undefined;
  const others = new Promise<void>((resolve) => (othersAreRead = resolve));
  const watched = timed('painting', () => painting(others));
  const entries = await Promise.all(
    Object.entries(sources).map(([name, source]) => timed(name, () => source(input))),
  );
  othersAreRead();
  entries.push(await watched);
  emptyFrame?.close();
  entries.push(await loaded, await timed('activation', activation));
  return {
    agent: {
      userAgent: clip(navigator.userAgent, LIMITS.userAgentChars),
      platform: clip(navigator.platform),
    },
    // Object.entries loses the relation of names to readings. The type of `sources` guarantees it.
    readings: Object.fromEntries(entries) as unknown as Readings,
    startedAtMs: Math.max(0, finite(performance.timeOrigin)),
    tookMs,
    totalMs: elapsed(startedAt),
  };
}

type Unread = { readonly unread: 'absent' | 'failed' | 'timeout' };

async function read(
  source: () => unknown,
  limitMs: number = LIMITS.sourceMs,
): Promise<{ readonly value: unknown } | Unread> {
  const late = new Promise<Unread>((resolve) => {
    setTimeout(() => resolve({ unread: 'timeout' }), limitMs);
  });
  const reading = async () => {
    try {
      const value = await source();
      return value === undefined ? { unread: 'absent' as const } : { value };
    } catch {
      return { unread: 'failed' as const };
    }
  };
  return Promise.race([reading(), late]);
}
