import type { Platform } from '../request/agent.ts';
import type { Facts } from '../request/facts.ts';
import { NOTHING, type Signal } from './signal.ts';

/** `"Chromium";v="156"`, or its older spelling in Chrome-only builds. */
const CHROMIUM_MAJOR = /"(?:Chromium|Google Chrome)";v="(\d{1,4})"/;

const PLATFORM_HINTS: Readonly<Record<string, Platform>> = {
  '"Windows"': 'windows',
  '"macOS"': 'macos',
  '"Linux"': 'linux',
  '"Android"': 'android',
  '"Chrome OS"': 'chromeos',
  '"Chromium OS"': 'chromeos',
};

/** User-Agent client hints (W3C UA-CH) against the User-Agent. Their absence is no evidence. */
export const clientHintsSignal: Signal = (facts) => {
  const brands = facts.headers['sec-ch-ua'];
  if (brands === undefined || facts.agent.engine === undefined || facts.crawler) return NOTHING;
  return agrees(facts, brands) ? NOTHING : ['client_hints_mismatch'];
};

function agrees({ agent, headers }: Facts, brands: string): boolean {
  // Only Chromium sends these hints: Firefox and Safari do not implement them.
  if (agent.engine !== 'chromium') return false;
  const major = CHROMIUM_MAJOR.exec(brands)?.[1];
  if (major !== undefined && Number(major) !== agent.major) return false;
  const mobile = headers['sec-ch-ua-mobile'];
  if (mobile === '?1' && !agent.mobile) return false;
  const platform = PLATFORM_HINTS[headers['sec-ch-ua-platform'] ?? ''];
  return platform === undefined || platform === agent.platform;
}
