import type { BrowserClaim, Engine } from './browser-claim.ts';

/**
 * `plausible`: the claimed browser exists. `implausible`: hardly anyone uses this browser. `impossible`: such a browser
 * cannot exist.
 */
export type Plausibility = 'plausible' | 'implausible' | 'impossible';

/**
 * The oldest and newest plausible major versions. The limits are wide, because televisions never update their browser,
 * and browsers can be newer than this file.
 */
const MAJORS: Record<Engine, { readonly oldest: number; readonly newest: number }> = {
  chromium: { oldest: 38, newest: 300 },
  gecko: { oldest: 45, newest: 260 },
  webkit: { oldest: 4, newest: 45 },
};

/** The operating systems in the first parentheses of a User-Agent. A real browser names only one. */
const SYSTEMS = [/Windows/, /Macintosh/, /iPhone|iPad|iPod/, /X11|Linux|Android/] as const;

const WINDOWS_NT = /Windows NT (\d+\.\d+)/;
const WINDOWS_NT_VERSIONS = new Set([
  '5.0',
  '5.1',
  '5.2',
  '6.0',
  '6.1',
  '6.2',
  '6.3',
  '6.4',
  '10.0',
]);
/** The last version of Chromium that runs on a Windows older than 10. */
const LAST_CHROMIUM_OF_OLD_WINDOWS = 109;
/**
 * From this version on, the User-Agent of Chrome and Edge on the desktop has only the major version, and a fixed
 * version of the system.
 */
const REDUCED_SINCE = 112;

/** Compares a User-Agent with existing browsers. */
export function plausibilityOf(userAgent: string, claim: BrowserClaim): Plausibility {
  if (claim.engine === undefined) return 'plausible';
  if (hasImpossibleSystem(userAgent) || hasImpossiblePairing(userAgent, claim)) return 'impossible';
  if (isOutsideOfHistory(claim, claim.engine)) return 'implausible';
  switch (claim.engine) {
    case 'chromium':
      return isUnlikelyChromium(userAgent, claim) ? 'implausible' : 'plausible';
    case 'gecko':
      return hasForeignRevision(userAgent, claim) ? 'implausible' : 'plausible';
    case 'webkit':
      return hasForeignSystemVersion(userAgent, claim) ? 'implausible' : 'plausible';
  }
}

function hasImpossibleSystem(userAgent: string): boolean {
  const system = userAgent.slice(0, userAgent.indexOf(')') + 1);
  // The User-Agent of Windows Phone named several systems, so that sites would accept it.
  if (system.includes('Windows Phone')) return false;
  if (SYSTEMS.filter((pattern) => pattern.test(system)).length > 1) return true;
  const windows = WINDOWS_NT.exec(system)?.[1];
  if (windows === undefined) return /Win64|WOW64/.test(system) && !system.includes('Windows');
  return !WINDOWS_NT_VERSIONS.has(windows);
}

function hasImpossiblePairing(userAgent: string, { platform, engine, major }: BrowserClaim) {
  // Blink and Gecko do not run on iPhones. There Chrome and Firefox are called CriOS and FxiOS.
  if (platform === 'ios') return / (?:Chrome|Firefox)\/\d/.test(userAgent);
  if (platform === 'windows' && engine === 'webkit') return major > 5;
  const desktop = /Windows NT|Macintosh/.test(userAgent);
  return desktop && engine === 'chromium' && / Mobile Safari\//.test(userAgent);
}

function isOutsideOfHistory({ major }: BrowserClaim, engine: Engine): boolean {
  if (major === 0) return false;
  const { oldest, newest } = MAJORS[engine];
  return major < oldest || major > newest;
}

function isUnlikelyChromium(userAgent: string, { product, major }: BrowserClaim): boolean {
  if (product === 'other' || major < REDUCED_SINCE) return false;
  if (userAgent.includes('Windows NT') && !userAgent.includes('Windows NT 10.0')) {
    return major > LAST_CHROMIUM_OF_OLD_WINDOWS;
  }
  return userAgent.includes('Macintosh') && !userAgent.includes('Mac OS X 10_15_7');
}

/**
 * Whether the version after `rv:` in a User-Agent of Firefox is missing or is not the claimed version. Firefox Focus
 * can leave `rv:` out. In versions 110 to 119, `rv:` was always 109.0.
 */
function hasForeignRevision(userAgent: string, { major }: BrowserClaim): boolean {
  const revision = /\brv:(\d{1,4})\./.exec(userAgent)?.[1];
  if (revision === undefined) return !userAgent.includes('Focus');
  return Number(revision) !== major && !(revision === '109' && major >= 110 && major < 120);
}

/**
 * Whether the versions of Safari and iOS do not fit together, or Safari has a version that never existed. Up to version
 * 18, both have the same version. Since version 26, Safari can name an older version of iOS.
 */
function hasForeignSystemVersion(userAgent: string, { major, platform }: BrowserClaim): boolean {
  if (major > 18 && major < 26) return true;
  if (platform !== 'ios' || major === 0) return false;
  const system = Number(/ OS (\d{1,3})_/.exec(userAgent)?.[1] ?? major);
  return system !== major && !(system >= 17 && major >= 26);
}
