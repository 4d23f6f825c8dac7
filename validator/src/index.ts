import { openAsns } from '@guard/config/catalogue/asn';
import { openCountries } from '@guard/config/catalogue/countries';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { validateErrors } from '@guard/config/contract/errors';
import type { RenderFailurePage } from '@guard/config/contract/failure-page';
import { VALIDATE } from '@guard/config/contract/limits';
import type {
  Collect,
  EventSink,
  Metrics,
  SessionStore,
  Validate,
  ValidateOutcome,
} from '@guard/config/contract/ports';
import type { DatabaseFiles } from '@guard/config/settings/derived/fetched-databases';
import type { Site } from '@guard/config/settings/schema';
import { Patience } from '@guard/config/time/patience';
import { atOnce, type Pause, type Sliced, workInSlices } from '@guard/config/time/slices';
import type { FastifyPluginAsync } from 'fastify';
import { loadBrowserBundle } from '../browser/build.ts';
import { describeTrapHit, describeUpload } from './challenge/challenge-event.ts';
import { createVerify } from './challenge/collector.ts';
import { createChallengeIssuer } from './challenge/tickets/issue.ts';
import { createTrapLinks } from './challenge/trap-link.ts';
import { createUploadSignals } from './challenge/upload-signals.ts';
import { afterWith } from './session/after-with.ts';
import type { Caller, Engine } from './decision/engine.ts';
import { type Explained, type ExplainQuestion, explain } from './explain/explain.ts';
import { collectorRoutes } from './http/collector-routes.ts';
import { createFailurePage } from './response/failure-page.ts';
import { createHealthCheck } from './http/health.ts';
import { validateRoutes } from './http/validate-routes.ts';
import { compileLook } from './pages/look.ts';
import { OwnPages } from './pages/own-pages.ts';
import { compilePolicies, type Policies, type PolicyOptions } from './policy/compile-policies.ts';
import type { Policy } from './policy/compile-policy.ts';
import type { CrowdsecList } from './rules/crowdsec-list.ts';
import { TemporaryRules } from './rules/temporary-rules.ts';
import { openProofs, type ProofOptions } from './proofs/open-proofs.ts';
import { createAgentReader } from './request/agent.ts';
import { createCollector } from './script/collect-by-path.ts';
import { compileOrigins } from './script/site-keys.ts';
import { REJECTED_TTL_MS, VERIFIED_TTL_MS } from './session/cookie.ts';
import { createSealer } from './session/sealer.ts';
import { createSessionIds } from './session/session-id.ts';
import { countDecision } from './decision/respond.ts';
import { validate, type Validated } from './decision/validate.ts';

export type { Explained, ExplainQuestion, Explanation } from './explain/explain.ts';
export { hashUserAgent } from './request/user-agent-hash.ts';
export { createResolver } from './proofs/forward-confirmed.ts';
export { LastingStore } from './session/lasting-store.ts';
export { allocateStore, MemoryStore, type SharedMemory } from './session/memory-store.ts';
export { createSealer } from './session/sealer.ts';
export { createSessionIds } from './session/session-id.ts';
export { Snapshot } from './session/snapshot.ts';
export { CrowdsecList } from './rules/crowdsec-list.ts';
export { TemporaryRules } from './rules/temporary-rules.ts';
export { ThreadStore } from './session/thread-store.ts';
export { validatorSettings } from './policy/validator-settings.ts';

export interface ValidatorOptions extends ProofOptions, PolicyOptions {
  /** Pages on the hosts of these sites are allowed to use the browser script. */
  readonly sites?: readonly Pick<Site, 'hosts' | 'organisation'>[];
  /** Secrets that seal sessions and tickets. The first secret seals new ones. */
  readonly secrets: readonly string[];
  readonly observe: boolean;
  /** The value for DecisionEvent.settingsRevision. */
  readonly settingsRevision?: string;
  /** Returns the base URL of the collector for challenge pages that API callers serve, without a trailing slash. */
  readonly collectorUrl: () => string;
  readonly healthToken: Buffer | undefined;
  /** When it is missing, the validator loads the bundled catalogue. */
  readonly networks?: NetworkCatalogue;
  /** The operator's own databases. The bundled database replaces a missing database. */
  readonly databases?: DatabaseFiles;
  readonly store: SessionStore;
  readonly temporary?: TemporaryRules | undefined;
  /** The decisions of CrowdSec. A reload keeps them. By default there are none. */
  readonly crowdsec?: CrowdsecList | undefined;
  readonly events: EventSink;
  readonly metrics: Metrics;
  /** When it returns false, `GET /health` answers 503. */
  readonly isReady: () => boolean;
}

export interface Validator {
  /** The Validate port in this process, for one organisation. With `observe` Guard enforces nothing. */
  forOrganisation(id: string, observe?: boolean): Validate;
  readonly collect: Collect;
  /** Explains the answer to a request to one organisation. Changes and records nothing. */
  explain(organisation: string, question: ExplainQuestion): Promise<Explained>;
  /** Makes the pages for requests that the origin of an organisation does not answer. */
  failurePage(organisation: string): RenderFailurePage;
  readonly validateRoutes: FastifyPluginAsync;
  /** The browser script, uploads, and `GET /health`. */
  readonly collectorRoutes: FastifyPluginAsync;
  /** The compiled policies. The validator of the next settings uses them again. */
  readonly compiled: Policies;
}

/**
 * Builds the validator. It prepares all tables, keys and rules, so that a decision only looks them up. Rules of the
 * `earlier` validator are not compiled again, and its counts and learned data stay.
 */
export function createValidator(
  options: ValidatorOptions,
  earlier?: Pick<Validator, 'compiled'>,
): Validator {
  return atOnce(buildValidator(options, earlier?.compiled));
}

/** Builds the validator while the process answers requests. Awaits `pause` after each rule. */
export function createValidatorInSlices(
  options: ValidatorOptions,
  pause: Pause,
  earlier?: Pick<Validator, 'compiled'>,
): Promise<Validator> {
  return workInSlices(buildValidator(options, earlier?.compiled), pause);
}

function* buildValidator(options: ValidatorOptions, earlierPolicies?: Policies): Sliced<Validator> {
  return assemble(options, yield* compilePolicies(options, earlierPolicies));
}

function assemble(options: ValidatorOptions, compiledPolicies: Policies): Validator {
  const { policies, learned } = compiledPolicies;
  const { organisations, secrets, store, clock, metrics } = options;
  const engine = createEngine(options, compiledPolicies);
  const events: EventSink = {
    record(event) {
      countDecision(engine, event);
      options.events.record(event);
    },
  };
  const strengthsOf = (id: string) => policyOf(policies, id).strengths;
  const verify = createVerify({
    secrets,
    learned,
    store,
    clock,
    sessionTtlMs: VERIFIED_TTL_MS,
    rejectedTtlMs: REJECTED_TTL_MS,
    currentRuleSet: (id) => policies.get(id)?.challenge.ruleSet,
    priceOf: (id) => policies.get(id)?.passPrice,
    strengthsOf,
    // A preflight has no ticket, so its organisation is unknown. So all origins of all organisations are accepted.
    allowedOrigin: compileOrigins(
      options.sites?.flatMap(({ hosts }) => hosts) ?? [],
      organisations.flatMap((organisation) => organisation.script_origins),
    ),
    countryOf: engine.sources.countryOf,
    signalsOf: createUploadSignals(engine.sources),
    report(outcome) {
      const { kind, reasons } = outcome;
      const isPassing = kind === 'verified' || kind === 'work';
      metrics.count('guard_challenges_total', isPassing ? kind : (reasons[0] ?? kind));
      const event = describeUpload(outcome, clock(), strengthsOf);
      if (event) options.events.record(event);
    },
  });
  const bundle = loadBrowserBundle();
  const termsOf = (id: string) => policyOf(policies, id).challenge;
  const collect = createCollector({
    sites: [],
    ...options,
    verify,
    bundle,
    engine,
    termsOf,
    trapsOf: (id) => policies.get(id)?.traps,
    reportTrapHit(hit) {
      options.events.record(describeTrapHit(hit, clock()));
    },
  });
  const isHealthAuthorised = createHealthCheck(options);
  return {
    compiled: compiledPolicies,
    forOrganisation: (id, observe = false) =>
      validateInProcess(policyOf(policies, id), observe ? { ...engine, observe } : engine),
    collect,
    explain: (id, question) => explain(question, policyOf(policies, id), engine),
    // Behind a remote validator, this process has no policies of its organisations.
    failurePage: (id) => createFailurePage(policies.get(id) ?? PLAIN_PAGES),
    validateRoutes: validateRoutes({ ...options, policies, engine, events, isHealthAuthorised }),
    collectorRoutes: collectorRoutes({ ...options, collect, isHealthAuthorised }),
  };
}

const PLAIN_PAGES = { look: compileLook(), ownPages: new OwnPages({ rules: [] }) };

function createEngine(options: ValidatorOptions, policies: Policies): Engine {
  const { secrets, crawlers, store, clock, log, metrics, observe } = options;
  const { databases = {}, settingsRevision = '' } = options;
  const networks = options.networks ?? NetworkCatalogue.load();
  return {
    sources: {
      ...openProofs(options, policies),
      readAgent: createAgentReader(crawlers, UserAgentCatalogue.load()),
      networkOf: (ip) => networks.kindOf(ip),
      countryOf: openCountries(databases.country),
      asns: openAsns(databases.asn),
      isListed: (visitor) => options.crowdsec?.has(visitor) === true,
    },
    store,
    patience: new Patience(VALIDATE.budgetMs),
    ids: createSessionIds(createSealer(secrets, 'session')),
    issue: createChallengeIssuer({ secrets, programs: policies.programs }),
    issueTrapLink: createTrapLinks(secrets),
    temporary: options.temporary ?? new TemporaryRules(clock),
    clock,
    log,
    metrics,
    observe,
    settingsRevision,
  };
}

function policyOf(policies: ReadonlyMap<string, Policy>, id: string): Policy {
  const policy = policies.get(id);
  if (!policy) throw new Error(`no organisation has the id ${id}`);
  return policy;
}

function validateInProcess(policy: Policy, engine: Engine): Validate {
  return (
    request,
    { site = '', ipFrom = 'caller', signal, protocol, seesAnswer, transport, body },
  ) => {
    const caller: Caller = {
      site,
      via: 'in-process',
      reportsEnd: true,
      seesAnswer,
      ipFrom,
      uploadUrl: '/.guard/verify',
      signal,
      protocol,
      transport,
      body,
    };
    return afterWith(validate(request, policy, caller, engine), engine, outcomeOf);
  };
}

/** The outcome that a caller of `POST /validate` would get. */
function outcomeOf(result: Validated, engine: Engine): ValidateOutcome {
  if (result.kind === 'response') {
    countDecision(engine, result.event);
    return { kind: 'answered', response: result.response, extras: result };
  }
  const { type, late } = result;
  const { status, fail } = validateErrors[type];
  if (fail === 'closed') return { kind: 'rejected', status, type };
  const timedOut = late === 'busy' ? 'overloaded' : 'timeout';
  const reason = type === 'validation_timeout' ? timedOut : 'server_error';
  return { kind: 'failed', reason, detail: type };
}
