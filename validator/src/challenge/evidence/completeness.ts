import type { Engine } from '../../request/browser-claim.ts';
import type { SourceName } from '../../../page-contract/evidence.ts';
import type { Case } from './judges/case.ts';
import { lacksLayout } from './judges/layout.ts';

/** Readings that every browser with scripts gives, even when people switch features off. */
const OF_EVERY_BROWSER: readonly SourceName[] = [
  'webdriver',
  'automation',
  'languages',
  'plugins',
  'engine',
  'screen',
  'hardware',
  'desktop',
  'timezone',
];

/** Number of these readings that an extension can break. */
const MAY_LACK = 1;

const OF_ALL_ENGINES: readonly SourceName[] = [
  'worker',
  'frame',
  'disguises',
  'painting',
  'permissions',
  'graphics',
];

/** Further readings of each engine, and how many of them a person's browser can lack. */
const USUAL: Readonly<
  Record<Engine, { readonly sources: readonly SourceName[]; readonly mayLack: number }>
> = {
  // A WebView lacks up to 7: chrome, permissions, worker, hints, partition, painting, graphics.
  chromium: {
    sources: [
      ...OF_ALL_ENGINES,
      'chrome',
      'flooding',
      'fonts',
      'hints',
      'inspector',
      'media',
      'partition',
    ],
    mayLack: 7,
  },
  // Tor Browser lacks 3: permissions, graphics, worker. In a frame it also lacks painting.
  gecko: { sources: OF_ALL_ENGINES, mayLack: 4 },
  webkit: { sources: OF_ALL_ENGINES, mayLack: 4 },
};

/**
 * Whether the upload is incomplete: the page had no layout, it lacks more readings than any browser of this engine, or
 * its User-Agent claims no browser. This is not a finding, because it can happen to people. But an incomplete upload
 * does not pass the challenge.
 */
export function isIncomplete({ evidence, claim }: Pick<Case, 'evidence' | 'claim'>): boolean {
  const { readings } = evidence;
  const lacking = (sources: readonly SourceName[]) =>
    sources.filter((name) => 'unread' in readings[name]).length;
  if (!claim.recognised || lacksLayout(readings)) return true;
  if (lacking(OF_EVERY_BROWSER) > MAY_LACK) return true;
  // An unknown engine has the limits of Firefox, because old browsers give as many readings.
  const { sources, mayLack } = USUAL[claim.engine ?? 'gecko'];
  return lacking(sources) > mayLack;
}
