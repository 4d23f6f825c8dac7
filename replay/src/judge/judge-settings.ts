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
import { type Knows, rulesThatHold } from './rules-that-hold.ts';

export interface Judged {
  readonly outcome: Outcome;
  /** Name of the rule that decided. Empty when none did. */
  readonly rule: string;
  readonly reasons: readonly string[];
}

export type JudgeAnswer =
  | { readonly kind: 'judged'; readonly judged: Judged }
  /** `reason` is a phrase. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface SettingsJudge {
  judge(request: LoggedRequest): JudgeAnswer;
  /** Data that rules need and earlier requests did not have. */
  unknown(): readonly string[];
}

export interface JudgeOptions {
  readonly networks: NetworkCatalogue;
  /** The site of requests whose log names no host. Undefined for the only site. */
  readonly site: string | undefined;
  /** Treat every visitor of an access log as one who has passed the challenge. */
  readonly assumeVerified: boolean;
  /** Digests of the sessions that rules name (sessionsNamedIn), of all settings that are compared. */
  readonly namedSessions: ReadonlySet<string>;
}

/** Budgets are kept; sessions and tickets are not. */
const STORE = { maxSessions: 1, maxSpent: 1, maxBudgets: 200_000 };

/**
 * The values for headers that a log does not have. No signal counts them against a visitor, so an unknown header is no
 * evidence. Rules never see them (rules-that-hold.ts). The scheme of such a request is http, over which browsers send
 * neither client hints nor fetch metadata.
 */
const UNTOLD = {
  accept: 'application/json',
  'accept-language': 'en',
  'accept-encoding': 'gzip, deflate',
} as const;
const NO_HOST = 'the request has no host, and there are several sites: give --site HOST';
const REFUSED = 'a request that a validator refuses';
const TOLD_BY_A_LOG: ReadonlySet<string> = new Set(['host', 'user-agent', 'referer']);

/** How an organisation decides, and which part is enforced. */
interface Ports {
  /** Enforces nothing, so no page is created and no session is sealed. This halves the time of a decision. */
  readonly concludes: Validate;
  readonly enforces: Validate;
}

/**
 * Finds the decisions that settings would make. It uses the validator of these settings, without a gateway or a network.
 * Its clock is the time of the requests, and never goes back. It keeps only budgets. It ignores `observe`, because the
 * question is what the settings would enforce.
 */
export function createSettingsJudge(settings: Settings, options: JudgeOptions): SettingsJudge {
  let nowMs = 0;
  let session: { readonly id: string; readonly session: Session } | undefined;
  /** The result of each budget for the current request. */
  const taken = new Map<string, number>();
  const memory = new MemoryStore(() => nowMs, STORE);
  const store: SessionStore = {
    session: (id) => (id === session?.id ? session.session : undefined),
    keepSession: () => undefined,
    spend: () => false,
    // A request that is decided twice takes from its budgets once.
    take: (name, subject, budget) => once(name, () => memory.take(name, subject, budget)),
    takeAll: (name, charges) => once(name, () => memory.takeAll(name, charges)),
    remember: (...args) => memory.remember(...args),
    remembers: (...args) => memory.remembers(...args),
    close: () => memory.close(),
  };
  function once(name: string, take: () => number): number {
    const waitMs = taken.get(name) ?? take();
    taken.set(name, waitMs);
    return waitMs;
  }
  const policy = validatorSettings(settings);
  const unknown = new Set<string>();
  const sessions = new NamedSessions(options.namedSessions, policy.secrets);
  const route = createRouter(settings, options.site);
  const fromLog = portsOf((name) => TOLD_BY_A_LOG.has(name));
  const fromHeaders = portsOf((name) => !SECRET_HEADERS.has(name));

  /** The ports of each organisation; their validator is made when the first request asks for it. */
  function portsOf(knows: Knows): (organisation: string) => Ports {
    let validator: ReturnType<typeof createValidator> | undefined;
    const known = new Map<string, Ports>();
    return (organisation) => {
      validator ??= createValidator({
        ...policy,
        organisations: settings.organisations.map((one) =>
          asKnown({ ...one, rules: sessions.inRules(one.id, one.rules) }, knows, unknown),
        ),
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
      const ports = known.get(organisation) ?? {
        concludes: validator.forOrganisation(organisation, true),
        enforces: validator.forOrganisation(organisation),
      };
      known.set(organisation, ports);
      return ports;
    };
  }

  function judge(request: LoggedRequest): JudgeAnswer {
    const routed = route(request);
    if (routed.kind === 'unknown') return { kind: 'unreadable', reason: NO_HOST };
    if (routed.kind === 'unasked') return judged({ outcome: routed.outcome });
    const { headers, ip, userAgent } = request;
    nowMs = Math.max(nowMs, request.timeMs);
    taken.clear();
    const known = request.session ?? (options.assumeVerified ? assumed(request) : undefined);
    const digest = known?.digest ?? sessions.named(request.presented);
    const id = digest === undefined ? '' : sessions.idOf(routed.organisation, digest);
    session = known && { id, session: sessionOf(known, routed.organisation, userAgent, ip) };
    const ports = (headers === undefined ? fromLog : fromHeaders)(routed.organisation);
    const question = questionOf(request, routed.host, id);
    const made = decide(ports.concludes, question, routed.site);
    if (made === undefined) return { kind: 'unreadable', reason: REFUSED };
    const { decision, rule, blockReasons: reasons, monitor } = made;
    const isLifted = monitor && (decision === 'block' || decision === 'limited');
    // Monitor mode lifts a block, but a challenge of a later rule stays.
    const enforced = isLifted ? decide(ports.enforces, question, routed.site)?.action : decision;
    return judged({ outcome: outcomeOf(enforced, isLifted), rule, reasons });
  }

  return { judge, unknown: () => [...unknown] };
}

/** The event of one decision. Undefined when the validator refuses the question. */
function decide(
  validate: Validate,
  question: ValidateRequest,
  site: string,
): DecisionEvent | undefined {
  const outcome = validate(question, { site, seesAnswer: true });
  if (outcome instanceof Promise) throw new Error('a store in memory answers at once');
  if (outcome.kind !== 'answered') return undefined;
  // The log does not say how the origin answered. Nothing waits here.
  outcome.known?.ended?.('other');
  return outcome.known?.event;
}

function outcomeOf(enforced: DecisionEvent['decision'] | undefined, isLifted: boolean): Outcome {
  if (isLifted && enforced === 'allow') return 'monitored';
  return enforced === undefined || enforced === 'none' ? 'allow' : enforced;
}

function asKnown(organisation: Organisation, knows: Knows, unknown: Set<string>): Organisation {
  const all = [...organisation.rules, ...presetRules(organisation)];
  const known = rulesThatHold(all, knows);
  for (const what of known.unknown) unknown.add(`${what} (organisation ${organisation.id})`);
  return {
    ...organisation,
    presets: [],
    rules: [...known.rules],
    challenge: { ...organisation.challenge, free_pages: freePagesOf(organisation, knows, unknown) },
  };
}

/** Free pages are not counted when the log lacks the headers that distinguish a page from its parts. */
function freePagesOf(
  { id, rules, challenge }: Organisation,
  knows: Knows,
  unknown: Set<string>,
): Organisation['challenge']['free_pages'] {
  if (challenge.free_pages === false || knows('accept')) return challenge.free_pages;
  const areCounted = rules.some(
    ({ detect, challenge: asks }) => asks === 'auto' || (detect === true && asks === undefined),
  );
  if (areCounted) unknown.add(`free pages ask for header accept (organisation ${id})`);
  return false;
}

function judged({ outcome, rule = '', reasons = [] }: Partial<Judged> & Pick<Judged, 'outcome'>) {
  return { kind: 'judged', judged: { outcome, rule, reasons } } as const;
}

function questionOf(
  { target, ip, method, headers, userAgent, referrer, scheme }: LoggedRequest,
  host: string,
  session: string,
): ValidateRequest {
  const isTold = headers !== undefined;
  const told = isTold
    ? headers
    : {
        host,
        ...(userAgent !== '' && { 'user-agent': userAgent }),
        ...UNTOLD,
        ...(referrer !== '' && { referer: referrer }),
      };
  return {
    url: `${isTold ? scheme : 'http'}://${host}${target}`,
    ip,
    method,
    headers: told,
    ...(session !== '' && { cookie: session }),
  };
}

/** A session for each pair of address and User-Agent, because a log identifies visitors no better. */
function assumed({ ip, userAgent }: LoggedRequest): LoggedSession {
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
