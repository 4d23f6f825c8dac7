import type { Evidence, Readings } from '../../page-contract/evidence.ts';
import { clip, finite } from './clip.ts';
import { elapsedMs } from './elapsed.ts';
import { openEmptyFrame } from './empty-frame.ts';
import { LIMITS, WITNESSES } from '../../page-contract/limits.ts';
import type { SourceInput } from './source.ts';
import { watchActivation } from './sources/activation.ts';
import { painting } from './sources/painting.ts';
import { sources } from './sources.ts';
import { askWitnesses } from './witnesses.ts';

/** The data of one visit from the server. */
type VisitData = Omit<SourceInput, 'inside'> & {
  /** The text of the witnesses. Empty when there are none. */
  readonly witnesses: string;
};

/**
 * Reads all sources at the same time, for one ticket. Some readings answer questions of this ticket, so the evidence is
 * useless for other tickets. When a source fails or takes too long, the reading has the reason. Never rejects.
 */
export async function collect({ witnesses, ...visit }: VisitData): Promise<Evidence> {
  const startedAt = performance.now();
  const tookMs: Record<string, number> = {};
  const timeReading = async (name: string, source: () => unknown, limitMs?: number) => {
    const sourceStartedAt = performance.now();
    const reading = await read(source, limitMs);
    tookMs[name] = elapsedMs(sourceStartedAt);
    return [name, reading] as const;
  };
  const activation = watchActivation();
  // The witnesses start first, because they load files, which takes longer than any other reading.
  const witnessReading = timeReading(
    'witnesses',
    () => askWitnesses(witnesses),
    WITNESSES.waitMs + 1_000,
  );
  const emptyFrame = openEmptyFrame();
  const input: SourceInput = { ...visit, inside: emptyFrame?.inside };
  let endOthers = (): void => undefined;
  const otherReadings = new Promise<void>((resolve) => (endOthers = resolve));
  const paintingReading = timeReading('painting', () => painting(otherReadings));
  const entries = await Promise.all(
    Object.entries(sources).map(([name, source]) => timeReading(name, () => source(input))),
  );
  endOthers();
  entries.push(await paintingReading);
  emptyFrame?.close();
  entries.push(await witnessReading, await timeReading('activation', activation));
  return {
    agent: {
      userAgent: clip(navigator.userAgent, LIMITS.userAgentChars),
      platform: clip(navigator.platform),
    },
    // The type of Object.entries loses which name has which reading. The type of `sources` guarantees the right pairs.
    readings: Object.fromEntries(entries) as unknown as Readings,
    startedAtMs: Math.max(0, finite(performance.timeOrigin)),
    tookMs,
    totalMs: elapsedMs(startedAt),
  };
}

type Unread = { readonly unread: 'absent' | 'failed' | 'timeout' };

async function read(
  source: () => unknown,
  limitMs: number = LIMITS.sourceMs,
): Promise<{ readonly value: unknown } | Unread> {
  const timeout = new Promise<Unread>((resolve) => {
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
  return Promise.race([reading(), timeout]);
}
