import { parseIp } from '@guard/config/net/cidr';
import { Resolver as NodeResolver } from 'node:dns/promises';

/** The part of node:dns/promises that is needed; a test brings its own. */
export interface Resolver {
  reverse(ip: string): Promise<string[]>;
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

/** The resolver of the machine; it gives up on a server earlier than we give up on it. */
export function createResolver(): Resolver {
  return new NodeResolver({ timeout: 1_500, tries: 2 });
}

/**
 * What the name of an address says: it lies in one of the domains and leads back to the address; it
 * does not; or no resolver could be asked.
 */
export type NameAnswer = 'confirmed' | 'denied' | 'failed';

/** Most names of one address that are followed; a real crawler has one. */
const MAX_NAMES = 4;

/** The name server answered that there is no such name or record: an answer, not a failure. */
const NO_SUCH_NAME: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Forward-confirmed reverse DNS: the address has a name in one of the domains, and that name has the
 * address. The first alone proves nothing, because the owner of an address chooses its name. Never rejects.
 */
export async function lookUpNames(
  ip: string,
  domains: readonly string[],
  resolver: Resolver,
  timeoutMs: number,
): Promise<NameAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<NameAnswer>((resolve) => {
    timer = setTimeout(() => resolve('failed'), timeoutMs);
    timer.unref();
  });
  const answer = await Promise.race([follow(ip, domains, resolver), late]);
  clearTimeout(timer);
  return answer;
}

async function follow(
  ip: string,
  domains: readonly string[],
  resolver: Resolver,
): Promise<NameAnswer> {
  const names = await recordsOf(() => resolver.reverse(ip));
  if (names === undefined) return 'failed';
  const inDomain = names.filter((name) => domains.some((domain) => isWithin(name, domain)));
  let answer: NameAnswer = 'denied';
  for (const name of inDomain.slice(0, MAX_NAMES)) {
    const addresses = await recordsOf(() =>
      ip.includes(':') ? resolver.resolve6(name) : resolver.resolve4(name),
    );
    if (addresses?.some((address) => parseIp(address) === ip) === true) return 'confirmed';
    if (addresses === undefined) answer = 'failed';
  }
  return answer;
}

/** The records a name server has, none when it says so, undefined when it could not be asked. */
async function recordsOf(ask: () => Promise<string[]>): Promise<readonly string[] | undefined> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return NO_SUCH_NAME.has(code) ? [] : undefined;
  }
}

/** Whether a name is the domain or below it: `crawl.example.evil` and `evilexample` are not `example`. */
function isWithin(name: string, domain: string): boolean {
  const host = name.toLowerCase().replace(/\.$/, '');
  return host === domain || host.endsWith(`.${domain}`);
}
