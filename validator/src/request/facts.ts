import type { Asns } from '@guard/config/catalogue/asn';
import type { CatalogueCrawler, CrawlerStanding } from '@guard/config/catalogue/crawlers';
import type { NetworkKind } from '@guard/config/catalogue/networks';
import type {
  ChallengeState,
  CrawlerFact,
  IpSource,
  SignedAgentFact,
} from '@guard/config/contract/event';
import type { Session } from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import type { Reason } from '@guard/config/contract/reasons';
import type { TransportFacts } from '@guard/config/contract/transport';
import type { ValidateErrorType } from '@guard/config/contract/errors';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { foldReadings } from '@guard/config/matching/folded-readings';
import { readingsOf } from '@guard/config/matching/path-readings';
import { parseIp } from '@guard/config/net/cidr';
import type { ProveClaim } from '../proofs/prove-claim.ts';
import type { CheckSignature, SignatureProof } from '../proofs/web-bot-auth.ts';
import type { Agent } from './agent.ts';
import type { HeaderFields } from './header-fields.ts';
import { type RequestUrl, splitUrl } from './url.ts';

export interface CrawlerClaim extends CrawlerFact {
  readonly proof: 'verified' | 'impersonator' | 'unverifiable';
  /** Whether the crawler is on the organisation's allowlist. */
  readonly allowlisted: boolean;
}

/**
 * Why a passed session is not verified here: another client passed (client-class.ts), or two clients share it
 * (renewal.ts).
 */
export type LostBy = Extract<Reason, 'session_of_another' | 'session_shared'>;

/**
 * The challenge that a session got within the last hour and has not passed. `open`: the visitor can still answer it.
 * `uncleared`: it has expired.
 */
export type ShownChallenge = 'none' | 'open' | 'uncleared';

/** The state of the visitor's session. Only `verified` and `rejected` sessions are stored. */
export type SessionFact =
  | { readonly state: 'none' }
  | {
      readonly state: 'issued';
      readonly id: string;
      readonly challenge: ShownChallenge;
      /** True when a page must get a new session: the request had several values, or two clients share this session. */
      readonly contested?: boolean;
      /** Why the session is not verified, although it passed its challenge. */
      readonly lost?: LostBy;
      /** The stored session that two clients share. Only with `session_shared`. */
      readonly shared?: Session;
    }
  | {
      readonly state: 'verified' | 'rejected';
      readonly id: string;
      readonly session: Session;
      /** True when several sessions of the request can be the visitor's own. Then none of them gets a new value. */
      readonly contested?: boolean;
    };

/** The facts about a request for signals and rules. They are parsed once. Only the session is set later. */
export interface Facts {
  readonly url: RequestUrl;
  /** All path readings. The first one is the path as sent. */
  readonly paths: readonly string[];
  /** The path readings for protections (foldReadings). It is the list `paths` itself when both are the same. */
  readonly foldedPaths: readonly string[];
  /** The method in upper case, because some callers send lower case. */
  readonly method: string;
  /** The `referrer` field of the question, or else the Referer header. Empty when both are missing. */
  readonly referrer: string;
  readonly ip: string;
  /** From which source Guard has the address. `peer`: the visitor connected directly, without a trusted proxy. */
  readonly ipFrom: IpSource;
  /** The header fields in their order. Names are in lower case, and values of a repeated field are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly agent: Agent;
  readonly crawler: CrawlerClaim | undefined;
  /** Undefined for a request without a valid signature. */
  readonly signedAgent?: SignedAgentFact | undefined;
  readonly network: NetworkKind | undefined;
  /** Whether CrowdSec lists the address, its network, its system or its country. False for a verified crawler. */
  isListed(): boolean;
  /** Country (ISO 3166-1 alpha-2), looked up at the first call. Empty when unknown. */
  country(): string;
  /** The number of the address's autonomous system, looked up at the first call. 0 when unknown. */
  asn(): number;
  /** The holder of the address's autonomous system. Empty when unknown. */
  asnName(): string;
  readonly session: SessionFact;
  /**
   * The kind of network in which the session was judged. Undefined for an ordinary network, and without a judgement.
   */
  sessionNetwork(): NetworkKind | undefined;
  /** Facts from the visitor's TLS handshake and opening of HTTP/2. Undefined when Guard did not see them. */
  readonly transport?: TransportFacts | undefined;
}

/** The address of a visitor, with its country and autonomous system. */
export type Located = Pick<Facts, 'ip' | 'country' | 'asn'>;

export interface FactSources {
  readonly readAgent: (userAgent: string) => Agent;
  readonly proveClaim: ProveClaim;
  /** Undefined when there are no keys. */
  readonly checkSignature: CheckSignature | undefined;
  readonly networkOf: (ip: string) => NetworkKind | undefined;
  readonly countryOf: (ip: string) => string | undefined;
  readonly asns: Asns;
  /** Like Facts.isListed, but without the exception for verified crawlers. */
  readonly isListed: (visitor: Located) => boolean;
}

const NO_SESSION: SessionFact = { state: 'none' };
const NO_HEADERS: HeaderFields = {};

/** The facts that need no question to the session store. */
type Described =
  | {
      readonly kind: 'described';
      readonly facts: RequestFacts;
      /** The `_guard` values that the request sent (presentedSessions). */
      readonly cookies: readonly string[];
    }
  | { readonly kind: 'error'; readonly type: ValidateErrorType; readonly message: string };

/** Facts from the caller about the visitor's connection. */
interface Reached {
  readonly ipFrom: IpSource;
  readonly transport?: TransportFacts | undefined;
}

/** The organisation that is asked, and whether a crawler is on its allowlist. */
interface Asked {
  readonly organisation: string;
  readonly isAllowlisted: (crawler: CatalogueCrawler) => boolean;
}

export function describe(
  request: ValidateRequest,
  sources: FactSources,
  asked: Asked,
  { ipFrom, transport }: Reached,
): Described {
  const ip = parseIp(request.ip);
  if (ip === undefined) {
    return { kind: 'error', type: 'invalid_ip', message: '`ip` must be one IP address.' };
  }
  const url = splitUrl(request.url);
  if (url === undefined) {
    return { kind: 'error', type: 'invalid_request', message: '`url` must be an http(s) URL.' };
  }
  const paths = readingsOf(url.path);
  if (paths === undefined) {
    const message = 'The path of `url` can be read in too many ways.';
    return { kind: 'error', type: 'invalid_request', message };
  }
  const facts = new RequestFacts(request, ip, ipFrom, url, paths, sources, asked, transport);
  return {
    kind: 'described',
    facts,
    cookies: presentedSessions(request.cookie, facts.headers['cookie']),
  };
}

/** This is a class, because an object literal would create its functions for each request. */
export class RequestFacts implements Facts {
  readonly url: RequestUrl;
  readonly paths: readonly string[];
  readonly foldedPaths: readonly string[];
  readonly method: string;
  readonly referrer: string;
  readonly ip: string;
  readonly ipFrom: IpSource;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly agent: Agent;
  readonly crawler: CrawlerClaim | undefined;
  readonly signedAgent: SignedAgentFact | undefined;
  readonly network: NetworkKind | undefined;
  readonly transport: TransportFacts | undefined;
  /** `none` until the store has answered. After that it does not change. */
  session: SessionFact = NO_SESSION;
  readonly #sources: FactSources;
  #country: string | undefined;
  #asn: number | undefined;

  constructor(
    request: ValidateRequest,
    ip: string,
    ipFrom: IpSource,
    url: RequestUrl,
    paths: readonly string[],
    sources: FactSources,
    { organisation, isAllowlisted }: Asked,
    transport: TransportFacts | undefined,
  ) {
    const headers = request.headers ?? NO_HEADERS;
    this.url = url;
    this.paths = paths;
    this.method = request.method?.toUpperCase() ?? 'GET';
    this.foldedPaths = foldReadings(paths, this.method);
    this.referrer = request.referrer ?? headers['referer'] ?? '';
    this.ip = ip;
    this.ipFrom = ipFrom;
    this.headers = headers;
    this.userAgent = headers['user-agent'] ?? '';
    this.agent = sources.readAgent(this.userAgent);
    // The signature is checked only once for agent and crawler, because its nonce is valid only once.
    const signatureProof =
      headers['signature-input'] === undefined
        ? undefined
        : sources.checkSignature?.({
            ip,
            organisation,
            url: request.url,
            method: request.method ?? 'GET',
            headers,
          });
    this.signedAgent = signerOf(signatureProof);
    this.crawler =
      this.agent.crawler &&
      crawlerClaim(
        this.agent.crawler,
        sources.proveClaim(this.agent.crawler, { ip, signed: signatureProof }),
        isAllowlisted(this.agent.crawler),
      );
    this.network = this.crawler?.proof === 'verified' ? undefined : sources.networkOf(ip);
    this.transport = transport;
    this.#sources = sources;
  }

  isListed(): boolean {
    return this.crawler?.proof !== 'verified' && this.#sources.isListed(this);
  }

  country(): string {
    return (this.#country ??= this.#sources.countryOf(this.ip) ?? '');
  }

  sessionNetwork(): NetworkKind | undefined {
    if (this.session.state === 'none' || this.session.state === 'issued') return undefined;
    const [address = ''] = this.session.session.network.split('/', 1);
    return this.#sources.networkOf(address);
  }

  asn(): number {
    return (this.#asn ??= this.#sources.asns.numberOf(this.ip));
  }

  asnName(): string {
    return this.#sources.asns.nameOf(this.ip);
  }
}

export function challengeStateOf(session: SessionFact): ChallengeState {
  return session.state === 'issued' ? 'none' : session.state;
}

function signerOf(proof: SignatureProof | undefined): SignedAgentFact | undefined {
  if (proof?.kind !== 'valid') return undefined;
  return { name: proof.key.agent, directory: proof.key.directory ?? '' };
}

/** The claim of a crawler of the catalogue, with the result of its proofs. */
export function crawlerClaim(
  { id, name, category, rslCategory }: CatalogueCrawler,
  proof: CrawlerStanding,
  allowlisted: boolean,
): CrawlerClaim {
  const verified = proof === 'verified';
  return { id, name, category, rslCategory, verified, proof, allowlisted };
}
