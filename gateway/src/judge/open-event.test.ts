import type { OriginAnswer, Validate, ValidateOutcome } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { ask, PROXY_REQUESTS } from '../../../test/kit/peers/asking-proxies.ts';
import { sampleEvent } from '../../../test/kit/product/sample-event.ts';
import { startForwardAuth } from '../testing/forward-auth-rig.ts';
import { certificates, FRONTS, type FrontVisit, visit, wholeVisit } from '../testing/fronts.ts';
import { type Rig, type RigOptions, startGateway } from '../testing/gateway-rig.ts';
import {
  waitUntil,
  RawClient,
  rawExchange,
  HANDSHAKE,
  SWITCHED_HEAD,
} from '../testing/raw-client.ts';
import { refusingAddress, startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

/** Contract 2.7: a decision is one event, and the event says what the visitor got. */

const allowedEvent = {
  action: 'allow',
  decision: 'allow',
  response: 'allow',
  statusCode: 200,
} as const;

function outcomeOf(response: object = {}): ValidateOutcome {
  return {
    kind: 'answered',
    response: { success: true, decision: 'allow', ...response },
    extras: { session: '', crawlerVerified: false, event: sampleEvent(allowedEvent) },
  };
}

/** A validator in this process, which makes an event of each decision. */
const allowAll: Validate = () => outcomeOf();

function start(origin: RigOptions['origin'], options: Partial<RigOptions> = {}): Promise<Rig> {
  return startGateway({ origin, certificates, validate: allowAll, ...options });
}

/** For each event: the status for the visitor, the status of the origin, and whether the origin's time was measured. */
function recordedStatuses({ events }: Pick<Rig, 'events'>): (readonly [number, number, boolean])[] {
  return events.map(({ statusCode, originStatus = 0, originUs = 0 }) => [
    statusCode,
    originStatus,
    originUs > 0,
  ]);
}

/** Sends one request over each front. Every event must be recorded as `row`. */
async function expectOverEachFront(
  rig: Rig,
  row: ReturnType<typeof recordedStatuses>[number],
): Promise<void> {
  await Promise.all(FRONTS.map((front) => wholeVisit(front, rig)));
  expect(recordedStatuses(rig)).toEqual(FRONTS.map(() => row));
}

describe('over every front, one event for each decision', () => {
  test('has the status and the time of the origin that answered', async () => {
    const origin = await startOrigin((_req, res) => res.writeHead(404).end('none'));
    await expectOverEachFront(await start(origin.address), [404, 404, true]);
  });

  test('has the 502 when all origins refuse', async () => {
    const refusingOrigins = [refusingAddress(), refusingAddress()];
    await expectOverEachFront(await start(refusingOrigins), [502, 0, false]);
  });

  test('has the 504 when the origin stalls', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const rig = await start(origin.address, { limits: { originHeadersMs: 100 } });
    await expectOverEachFront(rig, [504, 0, false]);
  });

  test('has the 503 when the origin has its maximum of requests under way', async () => {
    const origin = await startOrigin();
    const rig = await start(origin.address, { limits: { originPlainRequests: 0 } });
    await expectOverEachFront(rig, [503, 0, false]);
  });

  test('has the status of an answer that broke off in the middle', async () => {
    const origin = await startTcpOrigin((socket) =>
      socket.end('HTTP/1.1 203 OK\r\nContent-Length: 100\r\n\r\npart'),
    );
    await expectOverEachFront(await start(origin.address), [203, 203, true]);
  });

  test('has the status of an answer of the gateway itself', async () => {
    const validate: Validate = () => outcomeOf({ decision: 'block', status_code: 451 });
    await expectOverEachFront(await start(refusingAddress(), { validate }), [451, 0, false]);
  });

  test('has the 408 of a stalled upload', async () => {
    const origin = await startOrigin(() => undefined);
    const limits = { uploadIdleMs: 50, lingerMs: 100 };
    const rig = await start(origin.address, { limits });
    await Promise.all(
      FRONTS.map((front) => {
        const frontVisit = visit(front, rig, { method: 'POST', upload: true });
        frontVisit.stream.write('x');
        return frontVisit.untilEnd();
      }),
    );
    expect(recordedStatuses(rig)).toEqual(FRONTS.map(() => [408, 0, false]));
  });

  test('has 499 when the visitor left before the decision or before the answer', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const { promise, resolve } = Promise.withResolvers<ValidateOutcome>();
    let askedCount = 0;
    const validate: Validate = ({ url }) => {
      askedCount++;
      return url.endsWith('/late') ? promise : outcomeOf();
    };
    const rig = await start(origin.address, { validate });
    const frontVisits = FRONTS.flatMap((front) => [
      visit(front, rig),
      visit(front, rig, { path: '/late' }),
    ]);
    await waitUntil(() => askedCount === 6 && origin.sockets.length === 3);
    for (const { stream: out } of frontVisits) out.destroy();
    await waitUntil(() => rig.events.length === 3);
    resolve(outcomeOf());
    await waitUntil(() => rig.counterValue('guard_gateway_requests_total', 'aborted') === 6);
    // The three late requests get the same decision with the same event, and each of them records it.
    expect(recordedStatuses(rig)).toEqual(Array.from({ length: 6 }, () => [499, 0, false]));
  });

  test('is recorded before a gateway has closed, also for requests that are cut', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const rig = await start(origin.address, { limits: { drainMs: 50 } });
    for (const front of FRONTS) visit(front, rig);
    const socket = new RawClient(rig.port);
    socket.send(...HANDSHAKE);
    await waitUntil(() => origin.sockets.length === 4);
    await rig.gateway.close();
    expect(recordedStatuses(rig)).toEqual(Array.from({ length: 4 }, () => [499, 0, false]));
  });

  test('does not exist without a decision, or when another process recorded it', async () => {
    const origin = await startOrigin();
    const unprotectedRig = await start(origin.address, { skip: ['/**'] });
    const remote = await start(origin.address, {
      remote: true,
      validate: () => ({ kind: 'answered', response: { success: true, decision: 'allow' } }),
    });
    for (const rig of [unprotectedRig, remote]) {
      await Promise.all(FRONTS.map((front) => wholeVisit(front, rig)));
      expect(rig.events).toEqual([]);
    }
  });

  test('has what was enforced when the validator fails (contract 7.1)', async () => {
    const origin = await startOrigin((_req, res) => res.writeHead(500).end());
    const failOpenRig = await start(origin.address, {
      validate: () => ({ kind: 'failed', reason: 'timeout', detail: '' }),
    });
    await expectOverEachFront(failOpenRig, [500, 500, true]);
    const failClosedRig = await start(origin.address, {
      validate: () => ({ kind: 'rejected', status: 400, type: 'invalid_ip' }),
    });
    await expectOverEachFront(failClosedRig, [403, 0, false]);
  });
});

describe.each(FRONTS)('the time that an origin took, over %s', (front) => {
  const DRIPPED_MS = 300;

  /** Sends the first half of a body, and the second half after `halfway` has resolved. */
  async function sendHalves(
    onRequest: Parameters<typeof startOrigin>[0],
    halfway: (halfwayVisit: FrontVisit) => Promise<unknown>,
  ) {
    const answers: (OriginAnswer | undefined)[] = [];
    const validate: Validate = () => ({
      kind: 'answered',
      response: { success: true, decision: 'allow' },
      extras: {
        session: '',
        crawlerVerified: false,
        event: sampleEvent(allowedEvent),
        ended: (_how, answer) => answers.push(answer),
      },
    });
    const rig = await start((await startOrigin(onRequest)).address, { validate });
    const frontVisit = visit(front, rig, { method: 'POST', upload: true });
    frontVisit.stream.write('a');
    await halfway(frontVisit);
    frontVisit.stream.end('b');
    await frontVisit.untilEnd();
    await waitUntil(() => rig.events.length === 1);
    return { ms: answers[0]?.ms ?? NaN, eventMs: (rig.events[0]?.originUs ?? 0) / 1000 };
  }

  test('leaves out the time in which the visitor sent a body', async () => {
    const answerBegun = Promise.withResolvers<undefined>();
    const { ms, eventMs } = await sendHalves(
      (req, res) => {
        req.once('data', answerBegun.resolve).once('end', () => res.end('whole'));
      },
      async () => {
        await answerBegun.promise;
        await new Promise((resolve) => setTimeout(resolve, DRIPPED_MS));
      },
    );
    expect(ms).toBeGreaterThan(0);
    // A timer may be a millisecond early.
    expect(eventMs - ms).toBeGreaterThan(DRIPPED_MS - 2);
  });

  test('is 0 when the origin answers before the body has ended', async () => {
    const { ms } = await sendHalves(
      (_req, res) => res.writeHead(403).end('early'),
      (frontVisit) => frontVisit.untilHead(),
    );
    expect(ms).toBe(0);
  });
});

test('RFC 9112 section 7.1: an upload with a bad chunk gets 400', async () => {
  const origin = await startOrigin();
  const rig = await start(origin.address);
  const head = ['POST / HTTP/1.1', 'Host: shop.example', 'Transfer-Encoding: chunked', '', ''];
  await rawExchange(rig.port, ...head, 'no size\r\n');
  expect(recordedStatuses(rig)).toEqual([[400, 0, false]]);
});

describe('RFC 6455 section 4: a WebSocket handshake is one event', () => {
  test.each([
    ['of an origin that switches', SWITCHED_HEAD, [101, 101, true]],
    [
      'of an origin that does not',
      'HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n',
      [403, 403, true],
    ],
    ['of an origin that does not speak HTTP', 'SSH-2.0-x\r\n\r\n', [502, 0, false]],
  ] as const)('%s', async (_what, answer, row) => {
    const origin = await startTcpOrigin((socket) => socket.write(answer));
    const rig = await start(origin.address);
    const visitor = new RawClient(rig.port);
    visitor.send(...HANDSHAKE);
    await visitor.until(/^HTTP\/1\.1 \d{3} /);
    visitor.socket.destroy();
    await waitUntil(() => rig.events.length === 1);
    expect(recordedStatuses(rig)).toEqual([row]);
  });
});

test.each(PROXY_REQUESTS)(
  'a question of %s causes one event with its decision',
  async (_name, asking) => {
    const { forwardAuthUrl: url, ...rig } = await startForwardAuth({ validate: allowAll });
    await ask(url, asking);
    expect(recordedStatuses(rig)).toEqual([[200, 0, false]]);
  },
);
