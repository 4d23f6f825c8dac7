import { parseIp } from '@guard/config/net/cidr';
import { Resolver as NodeResolver } from 'node:dns/promises';

/** The functions of node:dns/promises that Guard uses. Tests pass their own functions. */
export interface Resolver {
  reverse(ip: string): Promise<string[]>;
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

/** Creates a resolver with the name servers of the machine. Its time-outs end before the time limit of a look-up. */
export function createResolver(): Resolver {
  return new NodeResolver({ timeout: 1_500, tries: 2 });
}

/**
 * `confirmed`: the address has a name in one of the domains, and the name leads back to the address. `denied`: there is
 * no such name. `failed`: a name server did not answer.
 */
export type NameAnswer = 'confirmed' | 'denied' | 'failed';

/** Maximum number of names of one address that Guard looks up. The address of a real crawler has one name. */
const MAX_NAMES = 4;

/** Error codes of node:dns for "there is no such name or record". These are answers and not failures. */
const NO_SUCH_NAME: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Forward-confirmed reverse DNS: the address has a name in one of the domains, and this name leads back to the address.
 * A name alone proves nothing, because the owner of an address can set any name. Never rejects.
 */
export async function lookUpNames(
  ip: string,
  domains: readonly string[],
  resolver: Resolver,
  timeoutMs: number,
): Promise<NameAnswer> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const timeout = new Promise<NameAnswer>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve('failed');
    }, timeoutMs);
    timer.unref();
  });
  const answer = await Promise.race([confirmNames(ip, domains, resolver, () => isOver), timeout]);
  clearTimeout(timer);
  return answer;
}

async function confirmNames(
  ip: string,
  domains: readonly string[],
  resolver: Resolver,
  isOver: () => boolean,
): Promise<NameAnswer> {
  const names = await recordsOf(() => resolver.reverse(ip));
  if (names === undefined) return 'failed';
  const namesInDomain = names.filter((name) => domains.some((domain) => isWithin(name, domain)));
  let answer: NameAnswer = 'denied';
  for (const name of namesInDomain.slice(0, MAX_NAMES)) {
    if (isOver()) break;
    const addresses = await recordsOf(() =>
      ip.includes(':') ? resolver.resolve6(name) : resolver.resolve4(name),
    );
    if (addresses?.some((address) => parseIp(address) === ip) === true) return 'confirmed';
    if (addresses === undefined) answer = 'failed';
  }
  return answer;
}

/** The records from a name server. Empty when there are no records. Undefined when the name server did not answer. */
async function recordsOf(ask: () => Promise<string[]>): Promise<readonly string[] | undefined> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return NO_SUCH_NAME.has(code) ? [] : undefined;
  }
}

/**
 * Whether a name is the domain or is below the domain. `crawl.example.evil` and `evilexample` are not below `example`.
 */
function isWithin(name: string, domain: string): boolean {
  const host = name.toLowerCase().replace(/\.$/, '');
  return host === domain || host.endsWith(`.${domain}`);
}
