import { createHash } from 'node:crypto';
import type { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { DecisionEvent } from '@guard/config/contract/event';
import type { Session, SessionStore, Validate } from '@guard/config/contract/ports';
import { SECRET_HEADERS } from '@guard/config/contract/secret-headers';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { networkOf } from '@guard/config/net/network-of';
import { presetRules } from '@guard/config/settings/presets/preset-rules';
import type { Organisation, Settings } from '@guard/config/settings/schema';
import { createValidator, hashUserAgent, MemoryStore, validatorSettings } from '@guard/validator';
import type { LoggedRequest, LoggedSession, Outcome } from '../logged/logged-request.ts';
import { NamedSessions } from './named-sessions.ts';
import { createRouter } from './route-logged.ts';
import { type HasHeader, rulesThatHold } from './rules-that-hold.ts';

export interface Judged {
  readonly outcome: Outcome;
  /** The name of the rule that decided. Empty when no rule did. */
  readonly rule: string;
  readonly reasons: readonly string[];
}

type JudgeAnswer =
  | { readonly kind: 'judged'; readonly judged: Judged }
  /** `reason` is a part of a sentence, and the report adds the rest. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface SettingsJudge {
  judge(request: LoggedRequest): JudgeAnswer;
  /** The data that rules need and that the requests so far did not have. */
  missingData(): readonly string[];
}

export interface JudgeOptions {
  readonly networks: NetworkCatalogue;
  /** The site for requests of a log without hosts. Undefined when there is only one site. */
  readonly site: string | undefined;
  /** If true, every visitor of an access log is judged as a visitor who passed a challenge. */
  readonly assumeVerified: boolean;
  /** Digests of the sessions that rules name (sessionsNamedIn), from all compared settings. */
  readonly namedSessions: ReadonlySet<string>;
}

/** Only budgets need memory, because sessions and tickets are not stored. */
const STORE_LIMITS = { maxSessions: 1, maxSpent: 1, maxBudgets: 200_000 };

/**
 * Values for headers that a log does not have. For signals these values are not suspicious, so a missing header adds no
 * points. Rules never get these values (rules-that-hold.ts). A request from a log without headers gets the scheme http,
 * because browsers send no client hints and no fetch metadata over http.
 */
const NEUTRAL_HEADERS = {
  accept: 'application/json',
  'accept-language': 'en',
  'accept-encoding': 'gzip, deflate',
} as const;
const NO_HOST = 'the request has no host, and there are several sites: give --site HOST';
const REFUSED_REASON = 'a request that a validator refuses';
const HEADERS_IN_ACCESS_LOGS: ReadonlySet<string> = new Set(['host', 'user-agent', 'referer']);

/** Two forms of the validator of one organisation. */
interface Ports {
  /** This form creates no page and seals no session, which halves the time of a decision. */
  readonly decideOnly: Validate;
  readonly decideAndEnforce: Validate;
}

/**
 * Computes the decisions by these settings, with a validator and without a gateway or a network. The clock of the
 * validator follows the times of the requests and never goes back. The validator stores only budgets. It ignores
 * `observe`, because a replay shows what the settings would enforce.
 */
export function createSettingsJudge(settings: Settings, options: JudgeOptions): SettingsJudge {
  let nowMs = 0;
  let session: { readonly id: string; readonly session: Session } | undefined;
  const { store, startRequest } = createBudgetStore(
    () => nowMs,
    (id) => (id === session?.id ? session.session : undefined),
  );
  const policy = validatorSettings(settings);
  const missingData = new Set<string>();
  const sessions = new NamedSessions(options.namedSessions, policy.secrets);
  const route = createRouter(settings, options.site);
  const portsForAccessLog = portsOf((name) => HEADERS_IN_ACCESS_LOGS.has(name));
  const portsForFullHeaders = portsOf((name) => !SECRET_HEADERS.has(name));

  /**
   * Returns a function that finds the ports of an organisation. The first call for an organisation creates its
   * validator.
   */
  function portsOf(hasHeader: HasHeader): (id: string) => Ports {
    let validator: ReturnType<typeof createValidator> | undefined;
    const portsByOrganisation = new Map<string, Ports>();
    return (id) => {
      validator ??= createValidator({
        ...policy,
        organisations: settings.organisations.map((organisation) => {
          const rules = sessions.withMintedIds(organisation.id, organisation.rules);
          return adaptOrganisation({ ...organisation, rules }, hasHeader, missingData);
        }),
        observe: false,
        collectorUrl: () => '',
        networks: options.networks,
        store,
        events: { record: () => undefined },
        clock: () => nowMs,
        log: () => undefined,
        metrics: { count: () => undefined, gauge: () => undefined },
        isReady: () => true,
      });
      const ports = portsByOrganisation.get(id) ?? {
        decideOnly: validator.forOrganisation(id, true),
        decideAndEnforce: validator.forOrganisation(id),
      };
      portsByOrganisation.set(id, ports);
      return ports;
    };
  }

  function judge(request: LoggedRequest): JudgeAnswer {
    const routing = route(request);
    if (routing.kind === 'unknown') return { kind: 'unreadable', reason: NO_HOST };
    if (routing.kind === 'unasked') return judgedAnswer({ outcome: routing.outcome });
    const { headers, ip, userAgent } = request;
    nowMs = Math.max(nowMs, request.timeMs);
    startRequest();
    const knownSession =
      request.session ?? (options.assumeVerified ? assumedSession(request) : undefined);
    const digest = knownSession?.digest ?? sessions.namedDigest(request.sentSessionDigest);
    const id = digest === undefined ? '' : sessions.idOf(routing.organisation, digest);
    const { organisation, host, site } = routing;
    session = knownSession && {
      id,
      session: sessionOf(knownSession, organisation, userAgent, ip),
    };
    const findPorts = headers === undefined ? portsForAccessLog : portsForFullHeaders;
    const { decideOnly, decideAndEnforce } = findPorts(organisation);
    const question = questionOf(request, host, id);
    const event = decide(decideOnly, question, site);
    if (event === undefined) return { kind: 'unreadable', reason: REFUSED_REASON };
    const { decision, rule, blockReasons: reasons, monitor } = event;
    const isLifted = monitor && (decision === 'block' || decision === 'limited');
    // Monitor mode lifts the block. A later rule can still require a challenge.
    const enforcedDecision = isLifted ? decide(decideAndEnforce, question, site)?.action : decision;
    return judgedAnswer({ outcome: outcomeOf(enforcedDecision, isLifted), rule, reasons });
  }

  return { judge, missingData: () => [...missingData] };
}

/** A store that keeps only budgets. A request is decided once or twice, but takes from its budgets only once. */
function createBudgetStore(
  clock: () => number,
  findSession: (id: string) => Session | undefined,
): { readonly store: SessionStore; readonly startRequest: () => void } {
  /** The milliseconds to wait that each budget returned for the current request. */
  const waitMsByBudget = new Map<string, number>();
  const memory = new MemoryStore(clock, STORE_LIMITS);
  function takeOnce(name: string, take: () => number): number {
    const waitMs = waitMsByBudget.get(name) ?? take();
    waitMsByBudget.set(name, waitMs);
    return waitMs;
  }
  const store: SessionStore = {
    session: findSession,
    keepSession: () => undefined,
    spend: () => false,
    take: (name, subject, budget) => takeOnce(name, () => memory.take(name, subject, budget)),
    // Each of the two validators has its own counters of passes.
    takeSync: () => 0,
    // No answers of an origin are replayed, so no documents are counted.
    takeInProcess: () => 0,
    giveBackInProcess: () => undefined,
    takeAll: (name, charges) => takeOnce(name, () => memory.takeAll(name, charges)),
    remember: (...args) => memory.remember(...args),
    remembers: (...args) => memory.remembers(...args),
    close: () => memory.close(),
  };
  return { store, startRequest: () => waitMsByBudget.clear() };
}

/** Returns the event of one decision. Undefined when the validator refuses the question. */
function decide(
  validate: Validate,
  question: ValidateRequest,
  site: string,
): DecisionEvent | undefined {
  const outcome = validate(question, { site, seesAnswer: true });
  if (outcome instanceof Promise) throw new Error('a store in memory never returns a promise');
  if (outcome.kind !== 'answered') return undefined;
  // The log does not say how the origin answered.
  outcome.extras?.ended?.('other');
  return outcome.extras?.event;
}

function outcomeOf(
  enforcedDecision: DecisionEvent['decision'] | undefined,
  isLifted: boolean,
): Outcome {
  if (isLifted && enforcedDecision === 'allow') return 'monitored';
  return enforcedDecision === undefined || enforcedDecision === 'none' ? 'allow' : enforcedDecision;
}

function adaptOrganisation(
  organisation: Organisation,
  hasHeader: HasHeader,
  missingData: Set<string>,
): Organisation {
  const allRules = [...organisation.rules, ...presetRules(organisation)];
  const adaptedRules = rulesThatHold(allRules, hasHeader);
  for (const phrase of adaptedRules.missingData)
    missingData.add(`${phrase} (organisation ${organisation.id})`);
  const free_pages = freePagesOf(organisation, hasHeader, missingData);
  const challenge = { ...organisation.challenge, free_pages };
  return { ...organisation, presets: [], rules: [...adaptedRules.rules], challenge };
}

/** Without the Accept header a page cannot be distinguished from its parts, so free pages are not counted. */
function freePagesOf(
  { id, rules, challenge }: Organisation,
  hasHeader: HasHeader,
  missingData: Set<string>,
): Organisation['challenge']['free_pages'] {
  if (challenge.free_pages === false || hasHeader('accept')) return challenge.free_pages;
  const usesFreePages = rules.some(
    ({ detect, challenge: challengeMode }) =>
      challengeMode === 'auto' || (detect === true && challengeMode === undefined),
  );
  if (usesFreePages)
    missingData.add(
      `free pages need the header Accept, which the log does not have (organisation ${id})`,
    );
  return false;
}

function judgedAnswer(judged: Partial<Judged> & Pick<Judged, 'outcome'>) {
  const { outcome, rule = '', reasons = [] } = judged;
  return { kind: 'judged', judged: { outcome, rule, reasons } } as const;
}

function questionOf(
  { target, ip, method, headers, userAgent, referrer, scheme }: LoggedRequest,
  host: string,
  session: string,
): ValidateRequest {
  const assumedHeaders = {
    host,
    ...(userAgent !== '' && { 'user-agent': userAgent }),
    ...NEUTRAL_HEADERS,
    ...(referrer !== '' && { referer: referrer }),
  };
  return {
    url: `${headers === undefined ? 'http' : scheme}://${host}${target}`,
    ip,
    method,
    headers: headers ?? assumedHeaders,
    ...(session !== '' && { cookie: session }),
  };
}

/** The session of a visitor whom a log identifies only by address and User-Agent. */
function assumedSession({ ip, userAgent }: LoggedRequest): LoggedSession {
  const digest = createHash('sha256').update(`${ip} ${userAgent}`).digest('hex').slice(0, 32);
  return { digest, state: 'verified', reasons: [] };
}

function sessionOf(
  { state, reasons }: LoggedSession,
  organisation: string,
  userAgent: string,
  ip: string,
): Session {
  const network = networkOf(ip);
  const userAgentHash = hashUserAgent(userAgent);
  return { organisation, state, reasons, userAgentHash, network, client: '', judgedAt: 0 };
}
