import { createHash } from 'node:crypto';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { DecisionEvent } from '@guard/config/contract/event';
import type { SessionStore, Validate } from '@guard/config/contract/ports';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { ValidateResponse } from '@guard/config/contract/validate-response';
import { createValidator, MemoryStore } from '@guard/validator';
import fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { expect } from 'vitest';
import { type Answer, send } from '../kit/http.ts';
import { organisationWith } from '../kit/product/policies.ts';

export const KEY = 'sk_contract_test_key_1234';
export const OTHER_KEY = 'sk_contract_other_key_2345';
export const HEALTH_TOKEN = 'token_of_our_own_monitoring';

const crawlers = CrawlerCatalogue.load();
const networks = NetworkCatalogue.load();

export interface ServedOptions {
  /** The rules of the organisation, as YAML. No rules by default. */
  readonly rules?: string;
  /** Settings that are added to the organisation, or replace its settings. */
  readonly organisation?: Readonly<Record<string, unknown>>;
  /** Settings of a second organisation, `globex`, with its own key. */
  readonly neighbour?: Readonly<Record<string, unknown>>;
  readonly store?: SessionStore;
  readonly collectorUrl?: () => string;
  readonly isReady?: () => boolean;
}

export interface Served {
  readonly url: string;
  readonly collectorUrl: string;
  readonly events: DecisionEvent[];
  /** Every log line, as text. */
  readonly log: string[];
  readonly time: { now: number };
  /** The same validator, for questions in process. */
  readonly inProcess: Validate;
  /** Sends one `POST /validate` with any body. */
  readonly post: (body: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** Sends a valid question. The test fails when the answer does not match the schema of contract 2.2. */
  readonly ask: (request: ValidateRequest, key?: string) => Promise<ValidateResponse>;
}

const apps: FastifyInstance[] = [];
const PLAIN: ServedOptions = {};
const served = new Map<ServedOptions, Promise<Served>>();
/**
 * The test file that uses the validators in `served`. This module stays loaded for other test files in the same
 * process.
 */
let servedFor: string | undefined;

async function forgetOtherFiles(): Promise<void> {
  const { testPath } = expect.getState();
  if (testPath === servedFor) return;
  servedFor = testPath;
  served.clear();
  await Promise.all(apps.splice(0).map((app) => app.close()));
}

/**
 * The real validator behind real sockets, with a clock that stands still. A second call with the same options object
 * returns the same validator, with empty lists of events and log lines. All validators are closed when another test
 * file calls this function, or when the process ends.
 */
export async function serveValidator(options = PLAIN): Promise<Served> {
  await forgetOtherFiles();
  const promise = served.get(options) ?? open(options);
  served.set(options, promise);
  const validator = await promise;
  validator.events.length = 0;
  validator.log.length = 0;
  return validator;
}

async function open(options: ServedOptions): Promise<Served> {
  const time = { now: Date.UTC(2026, 10, 21) };
  const clock = () => time.now;
  const events: DecisionEvent[] = [];
  const log: string[] = [];
  const validator = createValidator({
    organisations: organisationsOf(options),
    secrets: ['the secret of the tests, long enough'],
    observe: false,
    collectorUrl: options.collectorUrl ?? (() => 'https://collector.example'),
    healthToken: createHash('sha256').update(HEALTH_TOKEN).digest(),
    crawlers,
    networks,
    store: options.store ?? new MemoryStore(clock),
    events: { record: (event) => events.push(event) },
    clock,
    log: (...line) => log.push(JSON.stringify(line)),
    metrics: { count: () => undefined, gauge: () => undefined },
    isReady: options.isReady ?? (() => true),
  });
  const url = await serve(validator.validateRoutes);
  const collectorUrl = await serve(validator.collectorRoutes);

  const post: Served['post'] = (body, headers = {}) =>
    send(`${url}/validate`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': KEY, ...headers },
    });
  return {
    url,
    collectorUrl,
    events,
    log,
    time,
    inProcess: validator.forOrganisation('acme'),
    post,
    async ask(request, key = KEY) {
      const answer = await post(JSON.stringify(request), { 'x-api-key': key });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body}`);
      return ValidateResponse.parse(JSON.parse(answer.body));
    },
  };
}

function organisationsOf({ rules = '[]', organisation, neighbour }: ServedOptions) {
  const acme = organisationWith(rules, {
    secret_keys: [{ id: 'backend', key: KEY }],
    ...organisation,
  });
  if (!neighbour) return [acme];
  const secret_keys = [{ id: 'backend', key: OTHER_KEY }];
  return [acme, organisationWith('[]', { id: 'globex', secret_keys, ...neighbour })];
}

async function serve(routes: FastifyPluginAsync): Promise<string> {
  const app = fastify({ forceCloseConnections: true });
  apps.push(app);
  await app.register(routes);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  app.server.unref();
  return url;
}

/** The decoded `response_html` of an answer. */
export function bodyOf(answer: { readonly response_html?: string | undefined }): string {
  return Buffer.from(answer.response_html ?? '', 'base64').toString('utf8');
}

/** `error.type` of a body of contract 2.5. */
export function errorType({ body }: Answer): unknown {
  const { error } = JSON.parse(body) as { error?: { type?: unknown } };
  return error?.type;
}
