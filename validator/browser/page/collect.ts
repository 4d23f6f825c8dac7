import type { Evidence, Readings, SourceName } from '../../src/challenge/evidence/evidence.ts';
import { clip, finite } from './clip.ts';
import { elapsed } from './elapsed.ts';
import { openEmptyFrame } from './empty-frame.ts';
import { LIMITS, WITNESSES } from './limits.ts';
import type { Ground, Source } from './source.ts';
import { automation } from './sources/automation.ts';
import { cascade } from './sources/cascade.ts';
import { chrome } from './sources/chrome.ts';
import { disguises } from './sources/disguises.ts';
import { engine } from './sources/engine.ts';
import { flooding } from './sources/flooding.ts';
import { fonts } from './sources/fonts.ts';
import { frame } from './sources/frame.ts';
import { graphics } from './sources/graphics.ts';
import { hardware } from './sources/hardware.ts';
import { hints } from './sources/hints.ts';
import { inspector } from './sources/inspector.ts';
import { languages } from './sources/languages.ts';
import { layout } from './sources/layout.ts';
import { media } from './sources/media.ts';
import { painting } from './sources/painting.ts';
import { partition } from './sources/partition.ts';
import { permissions } from './sources/permissions.ts';
import { plugins } from './sources/plugins.ts';
import { screenSizes } from './sources/screen.ts';
import { timezone } from './sources/timezone.ts';
import { webdriver } from './sources/webdriver.ts';
import { worker } from './sources/worker.ts';
import { askWitnesses } from './witnesses.ts';

/** Everything that is read, once each. Painting is watched meanwhile, and witnesses are loaded. */
const sources: { readonly [N in Exclude<SourceName, 'painting' | 'witnesses'>]: Source<N> } = {
  webdriver,
  automation,
  hints,
  languages,
  plugins,
  chrome,
  engine,
  screen: screenSizes,
  hardware,
  timezone,
  permissions,
  graphics,
  worker,
  frame,
  disguises,
  inspector,
  flooding,
  partition,
  layout,
  cascade,
  media,
  fonts,
};

/** What belongs to one visit. */
type Asked = Pick<Ground, 'ticket' | 'sheet' | 'echoUrl'> & {
  /** Empty where none are asked for. */
  readonly witnesses: string;
};

/**
 * Reads all sources at once, for one ticket: some questions belong to it, and the evidence fits
 * no other. A source that fails or stalls becomes a value; this never rejects.
 */
export async function collect({ ticket, sheet, echoUrl, witnesses }: Asked): Promise<Evidence> {
  const startedAt = performance.now();
  const tookMs: Record<string, number> = {};
  const timed = async (name: string, source: () => unknown, limitMs?: number) => {
    const sourceStartedAt = performance.now();
    const reading = await read(source, limitMs);
    tookMs[name] = elapsed(sourceStartedAt);
    return [name, reading] as const;
  };
  // Loading takes longer than reading, and begins first.
  const loaded = timed('witnesses', () => askWitnesses(witnesses), WITNESSES.waitMs + 1_000);
  const emptyFrame = openEmptyFrame();
  const ground: Ground = { ticket, sheet, echoUrl, inside: emptyFrame?.inside };
  let othersAreRead = (): void => undefined;
  const others = new Promise<void>((resolve) => (othersAreRead = resolve));
  const watched = timed('painting', () => painting(others));
  const entries = await Promise.all(
    Object.entries(sources).map(([name, source]) => timed(name, () => source(ground))),
  );
  othersAreRead();
  entries.push(await watched);
  emptyFrame?.close();
  entries.push(await loaded);
  return {
    agent: {
      userAgent: clip(navigator.userAgent, LIMITS.userAgentChars),
      platform: clip(navigator.platform),
    },
    // Object.entries forgets which name goes with which reading; the type of `sources` holds it.
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
