import type { Agent, Platform } from '../request/agent.ts';
import { hasGreaseOf } from '../request/chromium-brands.ts';
import type { Facts } from '../request/facts.ts';
import { isHandshake, representationFor } from '../request/representation.ts';
import { NO_REASONS, type Signal } from './signal.ts';

const PLATFORM_HINTS: ReadonlyMap<string, Platform> = new Map([
  ['"Windows"', 'windows'],
  ['"macOS"', 'macos'],
  ['"Linux"', 'linux'],
  ['"Android"', 'android'],
  ['"Chrome OS"', 'chromeos'],
  ['"Chromium OS"', 'chromeos'],
]);

/**
 * Values of Sec-Fetch-Dest for files that workers and worklets load, and for downloads by a link. Chromium sends no
 * client hints with these requests. Pages load some of these files too, with client hints, but the header fields do not
 * show whether a page or a worker asks.
 */
const LOADED_BY_WORKERS: ReadonlySet<string | undefined> = new Set(
  'audioworklet empty font json paintworklet script serviceworker sharedworker worker'.split(' '),
);

/**
 * Compares the User-Agent client hints (W3C UA-CH) with the User-Agent. Only Chromium sends them. These hints are
 * absent over plain http, in WebSocket handshakes, in browsers inside apps, and in requests of workers.
 */
export const clientHintsSignal: Signal = (facts) => {
  const { agent, headers, url, crawler } = facts;
  if (agent.engine === undefined || crawler) return NO_REASONS;
  const brands = headers['sec-ch-ua'];
  if (brands === undefined) {
    const areHintsExpected = agent.clientHints === 'always' && url.scheme === 'https';
    return areHintsExpected && !mayLackHints(facts) ? ['client_hints_missing'] : NO_REASONS;
  }
  // Firefox and Safari do not implement client hints.
  if (agent.engine !== 'chromium') return ['client_hints_mismatch'];
  const major = brands === agent.brands ? agent.major : chromiumMajor(brands);
  if (major === undefined) return ['client_hints_malformed'];
  if (major !== agent.major || contradicts(agent, brands, headers)) {
    return ['client_hints_mismatch'];
  }
  if (brands === agent.brands || hasGreaseOf(major, brands)) return NO_REASONS;
  return ['client_hints_unusual'];
};

/**
 * Whether a request of Chromium can lack hints. Chromium always sends them for a page, even through a service worker.
 */
function mayLackHints(facts: Facts): boolean {
  if (isHandshake(facts)) return true;
  return (
    LOADED_BY_WORKERS.has(facts.headers['sec-fetch-dest']) && representationFor(facts) !== 'html'
  );
}

function contradicts(agent: Agent, brands: string, headers: Facts['headers']): boolean {
  const mobile = headers['sec-ch-ua-mobile'];
  if (mobile !== undefined && mobile !== (agent.mobile ? '?1' : '?0')) return true;
  const platformHint = headers['sec-ch-ua-platform'];
  const platform = platformHint === undefined ? undefined : PLATFORM_HINTS.get(platformHint);
  if (platform !== undefined && platform !== agent.platform) return true;
  if (agent.product === 'edge' && brands !== agent.brands && !brands.includes('"Microsoft Edge')) {
    return true;
  }
  const fullVersions = headers['sec-ch-ua-full-version-list'];
  return fullVersions !== undefined && chromiumMajor(fullVersions) !== agent.major;
}

const CHROMIUM = '"Chromium";v="';

/** The version of the brand "Chromium". Undefined for a list without this brand, which every real list has. */
function chromiumMajor(brands: string): number | undefined {
  const at = brands.indexOf(CHROMIUM);
  if (at === -1) return undefined;
  let major = 0;
  for (let i = at + CHROMIUM.length; i < brands.length; i++) {
    const digit = brands.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) break;
    major = major * 10 + digit;
  }
  return major;
}
