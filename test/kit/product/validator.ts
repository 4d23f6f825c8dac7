import type {
  Ending,
  HeldBack,
  OriginAnswer,
  ResponseExtras,
  SessionStore,
} from '@guard/config/contract/ports';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { DecisionEvent } from '@guard/config/contract/event';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import type { Organisation } from '@guard/config/settings/schema';
import type { DatabaseFiles } from '@guard/config/settings/derived/fetched-databases';
import {
  createValidator,
  MemoryStore,
  TemporaryRules,
  type Validator,
  type ValidatorOptions,
} from '@guard/validator';
import { organisationWith } from './policies.ts';

const crawlers = CrawlerCatalogue.load();
const networks = NetworkCatalogue.load();
/**
 * These limits are small, because the store allocates its memory when it opens. The limit of budgets is higher, for
 * tests with 2,000 addresses: the table consists of sets, a full set replaces an entry, and it is random which keys
 * share a set.
 */
const STORE_LIMITS = { maxSessions: 1_000, maxSpent: 1_000, maxBudgets: 20_000 };

export interface TestValidator {
  readonly validator: Validator;
  readonly store: MemoryStore;
  readonly temporary: TemporaryRules;
  readonly events: DecisionEvent[];
  readonly time: { now: number };
  /** Whether the caller sees the answers of the origin. The gateway sees them, and forward-auth does not. */
  readonly caller: { seesAnswers: boolean };
  /**
   * How the origin answers allowed requests. With `never` it does not answer. With `isShared`, pages of other sites may
   * read the answers.
   */
  readonly origin: { answers: Ending | 'never'; answer?: OriginAnswer; isShared?: boolean };
  /** Lines of the log: an event and its fields. */
  readonly logged: (readonly [string, Readonly<Record<string, unknown>>])[];
  /** Asks the validator in process, as a gateway does. Throws when there is no answer. */
  readonly ask: (request: ValidateRequest) => Promise<ForeignValidateResponse>;
}

const TRANSPORT_FACTS = { protocol: 'HTTP/1.1', seesAnswer: true } as const;

/** The real validator with one organisation, a clock that stands still, and events in a list. */
export function validatorWith(
  rules: string,
  changes: {
    readonly organisation?: Readonly<Record<string, unknown>>;
    /** A second organisation. */
    readonly neighbour?: Organisation;
    readonly observe?: boolean;
    readonly isReady?: () => boolean;
    readonly healthToken?: Buffer;
    readonly databases?: DatabaseFiles;
    readonly botKeys?: ValidatorOptions['botKeys'];
    readonly resolver?: ValidatorOptions['resolver'];
    readonly metrics?: ValidatorOptions['metrics'];
    /** Makes the store of the validator from the one in memory. */
    readonly storeOf?: (memory: MemoryStore) => SessionStore;
    /** The validator before a reload. The new validator keeps its store and its clock. */
    readonly before?: TestValidator;
  } = {},
): TestValidator {
  const time = changes.before?.time ?? { now: Date.UTC(2026, 10, 21) };
  const clock = () => time.now;
  const caller = { seesAnswers: true };
  const origin: TestValidator['origin'] = { answers: 'other' };
  const events: DecisionEvent[] = [];
  const logEntries: [string, Readonly<Record<string, unknown>>][] = [];
  const record = (event: DecisionEvent) => {
    events.push(event);
    if (events.length > 1000) events.length = 0;
  };
  const store = changes.before?.store ?? new MemoryStore(clock, STORE_LIMITS);
  const temporary = new TemporaryRules(clock);
  const organisation = organisationWith(rules, changes.organisation);
  const options: ValidatorOptions = {
    organisations: changes.neighbour ? [organisation, changes.neighbour] : [organisation],
    secrets: ['the secret of the tests, long enough'],
    observe: changes.observe ?? false,
    settingsRevision: 'f00',
    collectorUrl: () => 'https://collector.example',
    healthToken: changes.healthToken,
    crawlers,
    networks,
    databases: changes.databases ?? {},
    botKeys: changes.botKeys,
    resolver: changes.resolver,
    store: changes.storeOf?.(store) ?? store,
    temporary,
    events: { record },
    clock,
    log: (_level, event, fields = {}) => void logEntries.push([event, fields]),
    metrics: changes.metrics ?? { count: () => undefined, gauge: () => undefined },
    isReady: changes.isReady ?? (() => true),
  };
  const validator = createValidator(options, changes.before?.validator);
  const validate = validator.forOrganisation(organisation.id);
  return {
    validator,
    store,
    temporary,
    events,
    time,
    caller,
    origin,
    logged: logEntries,
    async ask(request) {
      const context = { site: 'shop.example', ...(caller.seesAnswers && TRANSPORT_FACTS) };
      const outcome = await validate(request, context);
      if (outcome.kind !== 'answered') throw new Error(`no answer: ${JSON.stringify(outcome)}`);
      const { extras, response } = outcome;
      const held = caller.seesAnswers ? heldBackAt(origin, extras) : undefined;
      const event = held?.event ?? extras?.event;
      if (event !== undefined) record(event);
      if (origin.answers !== 'never') {
        const isSeen = caller.seesAnswers && held === undefined;
        extras?.ended?.(isSeen ? origin.answers : 'other', origin.answer);
      }
      return held?.response ?? response;
    },
  };
}

function heldBackAt(
  { answers, isShared = false }: TestValidator['origin'],
  extras: ResponseExtras | undefined,
): HeldBack | undefined {
  return answers === 'never' ? undefined : extras?.holdBack?.(answers, isShared);
}

/** A store that answers with promises, as one that instances share. */
export function answeringLate(store: MemoryStore): SessionStore {
  return {
    session: (id) => Promise.resolve(store.session(id)),
    keepSession: (...args) => store.keepSession(...args),
    spend: (...args) => Promise.resolve(store.spend(...args)),
    take: (...args) => Promise.resolve(store.take(...args)),
    takeSync: (...args) => store.takeSync(...args),
    takeInProcess: (...args) => store.takeInProcess(...args),
    giveBackInProcess: (...args) => store.giveBackInProcess(...args),
    takeAll: (...args) => Promise.resolve(store.takeAll(...args)),
    remember: (...args) => store.remember(...args),
    remembers: (...args) => Promise.resolve(store.remembers(...args)),
    close: () => store.close(),
  };
}
