import type { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { openCountries } from '@guard/config/catalogue/countries';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { validateErrors } from '@guard/config/contract/errors';
import type {
  Clock,
  Collect,
  EventSink,
  Log,
  Metrics,
  SessionStore,
  Validate,
  ValidateOutcome,
} from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import type { FastifyPluginAsync } from 'fastify';
import { loadBrowserBundle } from '../browser/build.ts';
import { describeFailedUpload } from './challenge-event.ts';
import { createCollector } from './challenge/collector.ts';
import { createChallengeIssuer } from './challenge/issue.ts';
import { after } from './deadline.ts';
import { collectorRoutes } from './http/collector-routes.ts';
import { createHealthCheck } from './http/health.ts';
import { validateRoutes } from './http/validate-routes.ts';
import { compilePolicy, type Policy } from './organisation.ts';
import { createAgentReader } from './request/agent.ts';
import { REJECTED_TTL_MS, VERIFIED_TTL_MS } from './session/cookie.ts';
import { createSealer } from './session/sealer.ts';
import { createSessionIds } from './session/session-id.ts';
import { type Engine, validate } from './validate.ts';

export { MemoryStore } from './session/memory-store.ts';

export interface ValidatorOptions {
  readonly organisations: readonly Organisation[];
  /** Seals sessions and tickets; the first one signs. */
  readonly secrets: readonly string[];
  readonly observe: boolean;
  /** Where challenge pages of API callers' visitors upload to; no trailing slash. Asked when needed. */
  readonly collectorUrl: () => string;
  readonly healthToken: Buffer | undefined;
  readonly crawlers: CrawlerCatalogue;
  readonly store: SessionStore;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** False makes `GET /health` answer 503. */
  readonly isReady: () => boolean;
}

export interface Validator {
  /** The in-process side of the Validate port, for the sites of one organisation. */
  forOrganisation(id: string): Validate;
  readonly collect: Collect;
  /** `POST /validate` and `GET /health`. */
  readonly validateRoutes: FastifyPluginAsync;
  /** The challenge's upload and `GET /health`. */
  readonly collectorRoutes: FastifyPluginAsync;
}

/** Builds the validator: every table, key and rule is made here, so that a decision only looks up. */
export function createValidator(options: ValidatorOptions): Validator {
  const { organisations, secrets, crawlers, store, clock, metrics } = options;
  const engine = createEngine(options);
  const policies = new Map(organisations.map((o) => [o.id, compilePolicy(o, crawlers)]));
  const collect = createCollector({
    secrets,
    store,
    clock,
    sessionTtlMs: VERIFIED_TTL_MS,
    rejectedTtlMs: REJECTED_TTL_MS,
    // No credential travels with an upload, and the ticket says whose visitor it is.
    allowedOrigin: () => true,
    report(outcome) {
      metrics.count('guard_challenges_total', outcome.reasons[0] ?? outcome.kind);
      const event = describeFailedUpload(outcome, clock());
      if (event) options.events.record(event);
    },
  });
  const isHealthAuthorised = createHealthCheck(options);
  return {
    forOrganisation: (id) => inProcess(policyOf(policies, id), engine),
    collect,
    validateRoutes: validateRoutes({ ...options, policies, engine, isHealthAuthorised }),
    collectorRoutes: collectorRoutes({ ...options, collect, isHealthAuthorised }),
  };
}

function createEngine(options: ValidatorOptions): Engine {
  const { secrets, crawlers, store, events, metrics, clock, observe } = options;
  const networks = NetworkCatalogue.load();
  return {
    sources: {
      crawlers,
      readAgent: createAgentReader(crawlers, UserAgentCatalogue.load()),
      networkOf: (ip) => networks.kindOf(ip),
      countryOf: openCountries(),
    },
    store,
    ids: createSessionIds(createSealer(secrets, 'session')),
    issue: createChallengeIssuer({ secrets, script: loadBrowserBundle().interstitial }),
    events: {
      record(event) {
        metrics.count('guard_decisions_total', event.action);
        events.record(event);
      },
    },
    clock,
    observe,
  };
}

function policyOf(policies: ReadonlyMap<string, Policy>, id: string): Policy {
  const policy = policies.get(id);
  if (!policy) throw new Error(`no organisation has the id ${id}`);
  return policy;
}

function inProcess(policy: Policy, engine: Engine): Validate {
  return (request, { site = '' }) =>
    after(
      validate(request, policy, { site, via: 'in-process', uploadUrl: '/.guard/verify' }, engine),
      (validated): ValidateOutcome => {
        if (validated.kind === 'response')
          return { kind: 'answered', response: validated.response };
        const { status, fail } = validateErrors[validated.type];
        return fail === 'closed'
          ? { kind: 'rejected', status, type: validated.type }
          : { kind: 'failed', reason: 'server_error', detail: validated.type };
      },
    );
}
