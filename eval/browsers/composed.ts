import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { HOME_IP } from '../../test/kit/visitors/visitors.ts';
import { seededRandom } from '../../test/kit/seeded-random.ts';
import { chromiumHeaders, firefoxHeaders, onPlainHttp, safariHeaders } from './compose-headers.ts';
import type { BrowserCases } from './generated.ts';

/** A row of npm `user-agents`. A script in a page has recorded it. */
interface SeenBrowser {
  readonly userAgent: string;
  /** The value of `navigator.platform`. */
  readonly platform: string;
}

/**
 * Navigations with the User-Agents of npm `user-agents`. The package has no header fields, so compose-headers.ts
 * composes them for the family and version. Every second request is over plain http.
 */
export function composedBrowsers(seed: number, count: number): BrowserCases {
  const random = seededRandom(seed);
  const recordedBrowsers = readSeen();
  const real: BrowserCases['real'][number][] = [];
  const contradictory: BrowserCases['contradictory'][number][] = [];
  for (let i = 0; i < count; i++) {
    const browser = recordedBrowsers[random.below(recordedBrowsers.length)];
    if (browser === undefined) throw new Error('user-agents has no rows');
    const scheme = random.next() < 0.5 ? 'https' : 'http';
    const complete = headersOf(browser.userAgent);
    const headers = scheme === 'https' ? complete : onPlainHttp(complete);
    const one = {
      about: `${scheme} ${browser.userAgent}`,
      unit: browser.userAgent,
      request: { url: `${scheme}://shop.example/`, ip: HOME_IP, method: 'GET', headers },
    };
    (agreesWithPlatform(browser) ? real : contradictory).push(one);
  }
  return { real, contradictory };
}

function headersOf(userAgent: string): Record<string, string> {
  if (/iPhone|iPad/.test(userAgent)) return safariHeaders(userAgent);
  if (/ Chrome\/\d/.test(userAgent)) return chromiumHeaders(userAgent);
  return / Firefox\/\d/.test(userAgent) ? firefoxHeaders(userAgent) : safariHeaders(userAgent);
}

/**
 * False for a bot that changed its User-Agent and not `navigator.platform`. Guard itself does not make this check,
 * because a tablet that requests the desktop site also keeps its platform.
 */
function agreesWithPlatform({ userAgent, platform }: SeenBrowser): boolean {
  if (/iPhone|iPad/.test(userAgent)) return /^(?:iPhone|iPad|MacIntel)$/.test(platform);
  if (userAgent.includes('Android')) return /^Linux (?:arm|aarch)/.test(platform);
  return true;
}

function readSeen(): readonly SeenBrowser[] {
  const entry = createRequire(import.meta.url).resolve('user-agents');
  const text = readFileSync(join(dirname(entry), 'user-agents.json'), 'utf8');
  // The cast is safe: each row of the package's data file has both strings.
  return JSON.parse(text) as readonly SeenBrowser[];
}
