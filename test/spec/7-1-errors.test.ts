import type { Session, SessionStore } from '@guard/config/contract/ports';
import { networkOf } from '@guard/config/net/network-of';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashUserAgent } from '../../validator/src/request/user-agent-hash.ts';
import { startGatewayOf } from '../kit/product/gateway.ts';
import { ORIGIN_PAGE, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { chromeHttp, visit } from '../kit/visitors/visitors.ts';
import { errorType, serveValidator } from './serve-validator.ts';
import { neverSettles, storeWith } from './store-with.ts';

const uuid = '3f0e5c9a-8a4b-4c6d-8e9f-0a1b2c3d4e5f';
const LIMIT = '[{ name: r, match: {}, rate_limit: { requests: 5, per: 1m, by: ip } }]';
const DETECT_AND_LIMIT =
  '[{ name: r, match: {}, detect: true, rate_limit: { requests: 5, per: 1m, by: ip } }]';
const question = visit({ cookie: uuid });
const body = JSON.stringify(question);

describe('7.1 400 missing_fields: "url or ip absent"', () => {
  test.each([
    ['{}', '`url` and `ip`'],
    ['{"url":"https://a.example/"}', '`ip`'],
    ['{"ip":"192.0.2.1"}', '`url`'],
    ['{"url":null,"ip":"192.0.2.1"}', '`url`'],
    ['{"url":"","ip":"192.0.2.1"}', '`url`'],
    ['{"url":"https://a.example/","ip":""}', '`ip`'],
    ['{"url":"https://a.example/","ip":null}', '`ip`'],
    ['{"__proto__":{"url":"https://a.example/","ip":"192.0.2.1"}}', '`url` and `ip`'],
  ])('%s: the message names %s', async (text, names) => {
    const { post } = await serveValidator();
    const answer = await post(text);
    expect([answer.status, errorType(answer)]).toEqual([400, 'missing_fields']);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { message: `Missing: ${names}.` } });
  });

  test('missing_fields comes before any other error of the body', async () => {
    const { post } = await serveValidator();
    expect(errorType(await post('{"ip":"nonsense","headers":7}'))).toBe('missing_fields');
  });
});

const throwError = () => {
  throw new Error('broken');
};
const reject = () => Promise.reject(new Error('broken'));
describe.each<[string, Partial<SessionStore>]>([
  ['a store that throws', { session: throwError }],
  ['a store that rejects', { session: reject }],
  ['a budget that rejects', { take: reject }],
])('7.1 500 internal_server_error: %s', (_what, overrides) => {
  const options = { rules: DETECT_AND_LIMIT, store: storeWith(overrides) };

  test('the API answers with this error, also to the next request', async () => {
    const { post, events, log } = await serveValidator(options);
    for (let i = 0; i < 2; i++) {
      const answer = await post(body);
      expect([answer.status, errorType(answer)]).toEqual([500, 'internal_server_error']);
    }
    expect(events).toEqual([]);
    expect(log).toHaveLength(2);
  });

  test('in process the result is a failed outcome, and not an exception', async () => {
    const { inProcess } = await serveValidator(options);
    const outcome = await inProcess(question, { site: 'shop' });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'server_error' });
  });
});

/** A record of a session from another version. Reading the record throws an error inside the pipeline. */
const noSession = {
  state: 'rejected',
  organisation: 'acme',
  userAgentHash: hashUserAgent(question.headers?.['user-agent'] ?? ''),
  network: networkOf(question.ip),
};

describe('7.1 409 "deterministic rejection", "Fail closed": the validator fails on one request and not on a usual one', () => {
  const failsOnOne = {
    session: (id: string) => {
      if (id === uuid) throw new Error('broken');
      return undefined;
    },
  };

  test.each([
    ['at once', failsOnOne.session],
    [
      'when the store answers later',
      (id: string) => Promise.resolve().then(() => failsOnOne.session(id)),
    ],
    ['in a later step of the pipeline', () => noSession as unknown as Session],
    [
      'in a later step, when the store answers later',
      () => Promise.resolve(noSession as unknown as Session),
    ],
  ])('the API answers with this error, and judges the next request: %s', async (_when, session) => {
    const store = storeWith({ session });
    const { post, log } = await serveValidator({ rules: DETECT_AND_LIMIT, store });
    const answer = await post(body);
    expect([answer.status, errorType(answer)]).toEqual([409, 'request_not_judged']);
    expect(log).toEqual([expect.stringMatching(/^\["error","validate_failed",/)]);
    expect((await post(JSON.stringify(visit()))).status).toBe(200);
  });

  test('the gateway denies that request, and others pass', async () => {
    const { inProcess, events } = await serveValidator({ store: storeWith(failsOnOne) });
    const origin = await startRecordingOrigin();
    onTestFinished(() => origin.close());
    const { http, close } = await startGatewayOf(inProcess, events, { origin: origin.url });
    onTestFinished(close);
    const denied = await fetch(http, { headers: { ...chromeHttp, cookie: `_guard=${uuid}` } });
    expect([denied.status, await denied.text()]).toEqual([403, 'Request denied.\n']);
    expect(origin.arrivals).toEqual([]);
    const passed = await fetch(http, { headers: chromeHttp });
    expect([passed.status, await passed.text()]).toEqual([200, ORIGIN_PAGE]);
  });
});

test('7.1 500 internal_server_error: an error of the route itself is logged by its kind and does not end the process', async () => {
  let isBroken = true;
  const collectorUrl = () => {
    if (isBroken) throw new TypeError('with a detail');
    return '';
  };
  const { post, log } = await serveValidator({ collectorUrl });
  const answer = await post(body);
  expect([answer.status, errorType(answer)]).toEqual([500, 'internal_server_error']);
  expect(log).toEqual(['["error","validate_failed",{"error":"TypeError"}]']);
  isBroken = false;
  expect((await post(body)).status).toBe(200);
});

describe.each<[string, Partial<SessionStore>]>([
  ['a session that never comes', { session: neverSettles }],
  ['a budget that never comes', { take: neverSettles }],
])(
  '7.1 503 validation_timeout: "pipeline exceeded its time budget" (500 ms, contract 8): %s',
  (_what, overrides) => {
    const options = { rules: LIMIT, store: storeWith(overrides) };

    test('over the API', async () => {
      const { post, events } = await serveValidator(options);
      const answer = await post(body);
      expect([answer.status, errorType(answer)]).toEqual([503, 'validation_timeout']);
      expect(events).toEqual([]);
    });

    test('in process', async () => {
      const { inProcess } = await serveValidator(options);
      const outcome = await inProcess(question, {});
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'timeout' });
    });

    test('the gateway fails open, and records one event', async () => {
      const { inProcess, events } = await serveValidator(options);
      const origin = await startRecordingOrigin();
      onTestFinished(() => origin.close());
      const { http, close } = await startGatewayOf(inProcess, events, { origin: origin.url });
      onTestFinished(close);
      const response = await fetch(http, { headers: { ...chromeHttp, cookie: `_guard=${uuid}` } });
      expect([response.status, await response.text()]).toEqual([200, ORIGIN_PAGE]);
      expect(origin.arrivals).toHaveLength(1);
      expect(events).toMatchObject([{ decision: 'none', action: 'allow' }]);
    });
  },
);

describe('7.1 an answer of the store that comes after the deadline', () => {
  /**
   * Returns a store in which one operation, the session look-up or the budget, waits until the test calls `release`.
   */
  function holdStore(operation: 'session' | 'take') {
    const calls: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const delay = async <T>(name: string, value: T): Promise<T> => {
      calls.push(name);
      if (name === operation) await gate;
      return value;
    };
    const store = storeWith({
      session: () => delay('session', undefined),
      take: () => delay('take', 0),
    });
    return { store, calls, release };
  }

  test('after a late session, Guard takes nothing from a budget and records nothing', async () => {
    const { store, calls, release } = holdStore('session');
    const { post, events } = await serveValidator({ rules: LIMIT, store });
    expect((await post(body)).status).toBe(503);
    release();
    await nextTurns();
    expect(calls).toEqual(['session']);
    expect(events).toEqual([]);
  });

  test('after a late budget, Guard records nothing', async () => {
    const { store, calls, release } = holdStore('take');
    const { post, events } = await serveValidator({ rules: LIMIT, store });
    expect((await post(body)).status).toBe(503);
    release();
    await nextTurns();
    expect(calls).toEqual(['session', 'take']);
    expect(events).toEqual([]);
  });

  test('when the caller is gone, the decision ends as at the deadline', async () => {
    const { store, calls, release } = holdStore('session');
    const { inProcess } = await serveValidator({ rules: LIMIT, store });
    const callerGone = new AbortController();
    const outcome = inProcess(question, { signal: callerGone.signal });
    callerGone.abort();
    release();
    expect(await outcome).toMatchObject({ kind: 'failed', reason: 'timeout' });
    expect(calls).toEqual(['session']);
  });

  test('when the store does not wait, the same request is answered', async () => {
    const { store, calls, release } = holdStore('session');
    const { post, events } = await serveValidator({ rules: LIMIT, store });
    release();
    expect((await post(body)).status).toBe(200);
    expect(calls).toEqual(['session', 'take']);
    expect(events).toHaveLength(1);
  });
});

/** Waits for some turns of the event loop. */
async function nextTurns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
