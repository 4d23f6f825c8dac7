import type {
  Clock,
  CollectAnswer,
  CollectRequest,
  SessionStore,
} from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { parseIp } from '@guard/config/net/cidr';
import { addressGroup } from '@guard/config/net/network-of';
import { emptyAnswer, headerOf } from './exchange.ts';
import { createSealer } from '../session/sealer.ts';
import type { Traps } from '../verdict/traps.ts';

/** The path of the link below the collector's root. On a site the full path is `/.guard/archive`. */
export const TRAP_PATH = '/archive';
const QUERY = 'page=';
const PURPOSE = 'trap-link';
const MAC_BYTES = 12;
const HOUR_MS = 3_600_000;

/** Number of hits that Guard processes from one address in a minute. Further hits have no effect. */
const HITS_OF_ADDRESS = { requests: 10, perMs: 60_000 };

interface LinkVisitor {
  readonly organisation: string;
  /** The sessionDigest of the session that came with the page. */
  readonly session: string;
  /** The visitor's address, spelled as `parseIp` returns it. */
  readonly ip: string;
  readonly nowMs: number;
}

/** A visitor followed the link that was made for this visitor. */
export interface TrapHit {
  readonly organisation: string;
  readonly session: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** Returns the URL of the link for one page. `uploadUrl` is the upload URL of this page. */
export type IssueTrapLink = (visitor: LinkVisitor, uploadUrl: string) => string;

/**
 * Creates the link inside a comment of Guard's own pages. A link is valid for the address and session of its visitor,
 * and for one to two hours. So a stranger cannot use a link to harm another visitor.
 */
export function createTrapLinks(secrets: readonly string[]): IssueTrapLink {
  const sealer = createSealer(secrets, PURPOSE);
  return ({ organisation, session, ip, nowMs }, uploadUrl) => {
    const hour = hourOf(nowMs);
    const fields = [organisation, session, hour.toString(36)];
    const mac = sealer.seal([...fields, addressGroup(ip)], MAC_BYTES).toString('hex');
    const root = uploadUrl.slice(0, uploadUrl.lastIndexOf('/'));
    return `${root}${TRAP_PATH}?${QUERY}${[...fields, mac].join('.')}`;
  };
}

export interface TrapLinkOptions {
  readonly secrets: readonly string[];
  readonly store: SessionStore;
  readonly clock: Clock;
  /** The traps of an organisation. Undefined when the organisation does not exist or sets no trap. */
  readonly trapsOf: (organisation: string) => Traps | undefined;
  /** Called when a visitor has followed the hidden link. Must not throw. */
  readonly reportTrapHit: (hit: TrapHit) => void;
}

/**
 * Answers a request for a link with 404, as for any unknown path. Remembers the visitor if the link was made for this
 * visitor.
 */
export function createTrapLinkAnswerer(
  options: TrapLinkOptions,
): (request: CollectRequest) => Promise<CollectAnswer> {
  const { store, clock, trapsOf, reportTrapHit } = options;
  const sealer = createSealer(options.secrets, PURPOSE);

  async function follow(request: CollectRequest): Promise<void> {
    const ip = parseIp(request.ip);
    const link = readLink(request.query);
    if (ip === undefined || link === undefined) return;
    const { organisation, session, hour, mac } = link;
    const traps = trapsOf(organisation);
    const age = hourOf(clock()) - Number.parseInt(hour, 36);
    if (traps?.hasLink !== true || !(age >= 0 && age <= 1)) return;
    if (!sealer.verify([organisation, session, hour, addressGroup(ip)], mac)) return;
    if ((await store.take('trap-link', addressGroup(ip), HITS_OF_ADDRESS)) > 0) return;
    reportTrapHit({ organisation, session, ip, userAgent: headerOf(request, 'user-agent') });
    const sessionIds = presentedSessions(undefined, headerOf(request, 'cookie'));
    const ownSession = sessionIds
      .map((id) => id.toLowerCase())
      .find((id) => sessionDigest(id) === session);
    await traps.springLink(ip, ownSession, store);
  }

  return async (request) => {
    // Only an unavailable store rejects. The request still gets its 404.
    await follow(request).catch(() => undefined);
    return emptyAnswer(404);
  };
}

/** The fields of a link. Undefined when the query has another form. */
function readLink(query = '') {
  const [organisation = '', session = '', hour = '', mac = '', ...rest] = query
    .slice(QUERY.length)
    .split('.');
  const isWhole = query.startsWith(QUERY) && rest.length === 0 && mac.length === 2 * MAC_BYTES;
  return isWhole ? { organisation, session, hour, mac: Buffer.from(mac, 'hex') } : undefined;
}

function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS);
}
