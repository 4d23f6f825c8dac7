import { LRUCache } from 'lru-cache';
import UAParser from 'ua-parser-js';

/** The claims of a User-Agent, in lower case. Empty or 0 where the User-Agent has no claim. A claim is no proof. */
export interface AgentNames {
  /** The browser, such as `chrome`, `safari`, `samsung internet`. */
  readonly browser: string;
  /** Major version, at most 65,535. */
  readonly version: number;
  /** The system, such as `windows`, `macos`, `android`. */
  readonly os: string;
  /** `desktop` for a browser that names no device, else `mobile`, `tablet`, `smarttv` and the like. */
  readonly device: string;
}

const NO_NAMES: AgentNames = { browser: '', version: 0, os: '', device: '' };

/** Replaces unusual names of the library by the usual ones. */
const USUAL_NAMES: ReadonlyMap<string, string> = new Map([
  ['mac os', 'macos'],
  ['chromium os', 'chromeos'],
  ['mobile safari', 'safari'],
]);

/**
 * The rest of a longer User-Agent is ignored. The library's expressions are quadratic for some texts: the worst known
 * one takes 0.4 ms at this length, and 1.4 ms at the library's own limit of 500.
 */
const MAX_LENGTH = 256;

/** Maximum number of bytes of cached names. Above it the least recently used entry is removed. */
const MEMORY_BYTES = 4 * 1024 * 1024;
/** Size of an entry without its key: the names and the overhead of the cache. */
const ENTRY_BYTES = 400;

/**
 * The share of a thread's CPU time that naming may use, with a burst. Above this share new User-Agents get no names.
 */
const CPU_SHARE = 0.1;
const BURST_MS = 100;

/** A crawler gets no names, even when it claims to be a browser. */
type NameAgent = (userAgent: string, isCrawler: boolean) => AgentNames;

/**
 * Names the browser, its version, the system and the device of a User-Agent, for statistics of human traffic. Detection
 * uses another, stricter parser. This function runs after the request, because a new User-Agent takes some tens of
 * microseconds. `now` returns milliseconds that never go back.
 */
export function createAgentNames(now: () => number): NameAgent {
  const namesByAgent = new LRUCache<string, AgentNames>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: (_names, agent) => ENTRY_BYTES + 2 * agent.length,
  });
  let allowanceMs = BURST_MS;
  let refilledAt = now();
  return (userAgent, isCrawler) => {
    if (userAgent === '' || isCrawler) return NO_NAMES;
    const key = userAgent.length > MAX_LENGTH ? userAgent.slice(0, MAX_LENGTH) : userAgent;
    const cachedNames = namesByAgent.get(key);
    if (cachedNames !== undefined) return cachedNames;
    const startedAt = now();
    allowanceMs = Math.min(allowanceMs + CPU_SHARE * (startedAt - refilledAt), BURST_MS);
    refilledAt = startedAt;
    if (allowanceMs <= 0) return NO_NAMES;
    const names = readNames(key);
    allowanceMs -= now() - startedAt;
    // The key is a copy, so that the longer User-Agent can be freed.
    namesByAgent.set(Buffer.from(key).toString(), names);
    return names;
  };
}

export const agentNames: NameAgent = createAgentNames(() => performance.now());

function readNames(userAgent: string): AgentNames {
  const parser = new UAParser(userAgent);
  const { name = '', version = '' } = parser.getBrowser();
  const { type } = parser.getDevice();
  const browser = usualName(name);
  const major = Number.parseInt(version, 10);
  return {
    browser,
    version: Number.isNaN(major) ? 0 : Math.min(major, 65_535),
    os: usualName(parser.getOS().name ?? ''),
    device: type ?? (browser === '' ? '' : 'desktop'),
  };
}

function usualName(name: string): string {
  const lowerName = name.toLowerCase();
  return USUAL_NAMES.get(lowerName) ?? lowerName;
}
