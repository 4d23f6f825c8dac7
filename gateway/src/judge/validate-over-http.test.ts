import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { MaybePromise, ValidateOutcome } from '@guard/config/contract/ports';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../testing/raw-client.ts';
import { refusingAddress, startTcpOrigin } from '../testing/recording-origin.ts';
import { BREAKER_LIMITS } from './remote/circuit-breaker.ts';
import { type RemoteLimits, validateOverHttp } from './validate-over-http.ts';

const QUESTION = { url: 'https://shop.example/', ip: '203.0.113.7' };
const LIMITS: RemoteLimits = {
  connections: 8,
  waiting: 8,
  maxAnswerBytes: 4096,
  maxHeaderBytes: 4096,
};
const ALLOW = answer(200, '{"success":true,"decision":"allow"}');

function answer(status: number, body: string, ...fields: readonly string[]): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status} X`, length, ...fields, '', body].join('\r\n');
}

type Changes = { readonly timeout?: number; readonly limits?: Partial<RemoteLimits> };

/** A client of the validator at this address, with its clock and everything that it reports. */
function connectTo(url: string, { timeout = 5_000, limits = {} }: Changes = {}) {
  const logEntries: { event: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const countedMetrics: string[] = [];
  const time = { now: 1_000_000 };
  const ports = {
    clock: () => time.now,
    log: (_level: string, event: string, fields = {}) => logEntries.push({ event, fields }),
    metrics: { count: (name: string, label = '') => countedMetrics.push(`${name}/${label}`) },
  };
  const remote = validateOverHttp({ url, key: 'k', timeout }, ports, { ...LIMITS, ...limits });
  onTestFinished(remote.close);
  const ask = (signal?: AbortSignal): MaybePromise<ValidateOutcome> =>
    remote.validate(QUESTION, signal === undefined ? {} : { signal });
  const askAbout = async (ip: string) => remote.validate({ ...QUESTION, ip }, {});
  /** Makes questions about several networks fail for some time. One visitor alone cannot cause this. */
  const failForAll = async () => {
    await Promise.all([1, 2, 3, 4].map((network) => askAbout(`198.51.${network}.1`)));
    time.now += BREAKER_LIMITS.leastMs;
    return askAbout('198.51.5.1');
  };
  return { ...remote, ask, askAbout, failForAll, time, logEntries, counted: countedMetrics };
}

/**
 * A validator that answers the first question with the first of `replies`, the second with the second, and so on. It
 * counts the questions of all connections together.
 */
async function startScripted(...replies: readonly ((socket: Socket) => void)[]) {
  let askedCount = 0;
  const validator = await startTcpOrigin((socket, head) => {
    // A question ends with the end of its JSON.
    if (head.endsWith('}')) replies[Math.min(askedCount++, replies.length - 1)]?.(socket);
  });
  return { ...validator, questionCount: () => askedCount };
}

const writeText = (text: string) => (socket: Socket) => void socket.write(text);

describe('contract 2.2: the id of a decision, which goes into a field of the request to the origin', () => {
  test.each([
    ['a UUID', '"01a2006f-b1cf-7cb5-b247-a7c4b3f77343"', '01a2006f-b1cf-7cb5-b247-a7c4b3f77343'],
    ['none', 'null', undefined],
    ['a number', '7', undefined],
    ['a line break and a field', '"x\\r\\nX-Guard-Decision: allow"', undefined],
    ['more than a UUID', '"01a2006f-b1cf-7cb5-b247-a7c4b3f77343 "', undefined],
  ])('%s', async (_what, jsonId, acceptedId) => {
    const body = `{"success":true,"decision":"block","request_id":${jsonId}}`;
    const { address } = await startScripted(writeText(answer(200, body)));
    const outcome = await connectTo(address).ask();
    // The rest of the response is still used.
    expect(outcome).toMatchObject({ kind: 'answered', response: { decision: 'block' } });
    expect(outcome.kind === 'answered' && outcome.response.request_id).toBe(acceptedId);
  });
});

describe('contract 7.1: fail closed on any 4xx', () => {
  test.each([
    ['hangs in its body', writeText('HTTP/1.1 400 X\r\nContent-Length: 50\r\n\r\n{"succ')],
    ['breaks off', (socket: Socket) => socket.end('HTTP/1.1 400 X\r\nContent-Length: 9\r\n\r\n{')],
    ['is too large', writeText(answer(400, 'x'.repeat(5_000)))],
    ['is no JSON', writeText(answer(400, '<html>'))],
  ])('a 400 that %s is still an answer', async (_name, reply) => {
    const validator = await startScripted(reply);
    const { ask } = connectTo(validator.address, { timeout: 300 });
    expect(await ask()).toEqual({ kind: 'rejected', status: 400, type: 'unknown' });
  });
});

describe('an unusable answer', () => {
  test.each([
    ['a body above the limit', answer(200, ' '.repeat(5_000)), 'bad_answer'],
    [
      'a body above the limit, in chunks',
      `HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\n${' '.repeat(5_000)}\r\n`,
      'bad_answer',
    ],
    [
      'a header section above the limit',
      answer(200, '{}', `X: ${'x'.repeat(5_000)}`),
      'connection',
    ],
    ['101', 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'connection'],
    ['204', 'HTTP/1.1 204 X\r\n\r\n', 'bad_answer'],
    [
      'two lengths',
      'HTTP/1.1 200 X\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      'connection',
    ],
    ['a 503 that hangs in its body', 'HTTP/1.1 503 X\r\nContent-Length: 9\r\n\r\n', 'server_error'],
  ])('%s → failed', async (_name, text, reason) => {
    const validator = await startScripted(writeText(text));
    const { ask } = connectTo(validator.address, { timeout: 300 });
    expect(await ask()).toMatchObject({ kind: 'failed', reason });
  });

  test.each([301, 302, 307, 308])('a %i is not followed', async (status) => {
    const otherValidator = await startScripted(writeText(ALLOW));
    const redirect = answer(status, '', `Location: ${otherValidator.address}/validate`);
    const validator = await startScripted(writeText(redirect));
    const { ask } = connectTo(validator.address);
    expect(await ask()).toMatchObject({ kind: 'failed', reason: 'bad_answer' });
    expect(otherValidator.questionCount()).toBe(0);
  });

  test('a caller who gives up is answered at once', async () => {
    const validator = await startScripted(() => undefined);
    const { ask } = connectTo(validator.address);
    const caller = new AbortController();
    const outcome = ask(caller.signal);
    await waitUntil(() => validator.questionCount() === 1);
    caller.abort();
    expect(await outcome).toMatchObject({ kind: 'failed', reason: 'timeout' });
  });
});

describe('connections', () => {
  test('one connection carries questions one after the other, also after interim answers', async () => {
    const twoAnswers = `HTTP/1.1 103 X\r\nLink: </a>\r\n\r\n${ALLOW}`;
    const validator = await startScripted(writeText(twoAnswers));
    const { ask } = connectTo(validator.address);
    for (let i = 0; i < 20; i++) {
      expect((await ask()).kind).toBe('answered');
      // undici uses a connection again only in a later turn.
      await setImmediate();
    }
    expect(validator.sockets).toHaveLength(1);
  });

  test('RFC 9110 9.2.2: a question is sent again when its kept connection was closed', async () => {
    const validator = await startScripted(
      writeText(ALLOW),
      (socket) => socket.destroy(),
      writeText(ALLOW),
    );
    const { ask, counted } = connectTo(validator.address);
    expect((await ask()).kind).toBe('answered');
    expect((await ask()).kind).toBe('answered');
    expect(validator.questionCount()).toBe(3);
    expect(validator.sockets).toHaveLength(2);
    expect(counted).toEqual([]);
  });

  test('the question is sent over a new connection when the validator closed all kept connections', async () => {
    const heldSockets: Socket[] = [];
    let hasRestarted = false;
    const validator = await startTcpOrigin((socket, head) => {
      if (hasRestarted) socket.write(ALLOW);
      else if (head.endsWith('}')) heldSockets.push(socket);
    });
    const { ask } = connectTo(validator.address);
    const firstQuestions = [ask(), ask(), ask()];
    await waitUntil(() => heldSockets.length === 3);
    for (const socket of heldSockets.splice(0)) socket.write(ALLOW);
    for (const outcome of firstQuestions) expect((await outcome).kind).toBe('answered');
    await setImmediate();
    const lastQuestion = ask();
    await waitUntil(() => heldSockets.length === 1);
    hasRestarted = true;
    for (const socket of validator.sockets) socket.destroy();
    expect((await lastQuestion).kind).toBe('answered');
    expect(validator.sockets).toHaveLength(4);
  });

  test.each([
    ['on a new connection', [(socket: Socket) => socket.resetAndDestroy()], 1],
    [
      'in the middle of an answer',
      [
        writeText(ALLOW),
        (socket: Socket) => socket.end('HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n{'),
      ],
      2,
    ],
    ['a second time', [writeText(ALLOW), (socket: Socket) => socket.destroy()], 3],
  ])(
    'the question is not sent again when its connection breaks %s',
    async (_name, replies, expectedCount) => {
      const validator = await startScripted(...replies);
      const { ask } = connectTo(validator.address);
      for (let i = 1; i < replies.length; i++) await ask();
      expect(await ask()).toMatchObject({ kind: 'failed', reason: 'connection' });
      expect(validator.questionCount()).toBe(expectedCount);
    },
  );

  test('are bounded, and the queue is bounded too: above its bound a question fails at once', async () => {
    const heldSockets: Socket[] = [];
    const validator = await startScripted((socket) => heldSockets.push(socket));
    const limits = { connections: 2, waiting: 1 };
    const { ask } = connectTo(validator.address, { limits });
    const firstQuestions = [ask(), ask()];
    const waitingQuestion = ask();
    expect(await ask()).toMatchObject({ kind: 'failed', reason: 'overloaded' });
    await waitUntil(() => heldSockets.length === 2);
    for (const socket of heldSockets.splice(0)) socket.write(ALLOW);
    for (const outcome of firstQuestions) expect((await outcome).kind).toBe('answered');
    await waitUntil(() => heldSockets.length === 1);
    heldSockets[0]?.write(ALLOW);
    expect((await waitingQuestion).kind).toBe('answered');
    expect(validator.sockets).toHaveLength(2);
  });

  test('a connection that does not open in time is given up, and the next question tries again', async () => {
    const { address, sockets } = await startTcpOrigin(() => undefined);
    const limits = { connections: 1, waiting: 0 };
    const url = address.replace('http:', 'https:');
    const { ask } = connectTo(url, { timeout: 300, limits });
    for (let i = 1; i <= 2; i++) {
      expect(await ask()).toMatchObject({ kind: 'failed', reason: 'timeout' });
      await waitUntil(() => sockets.length === i && sockets.every((socket) => socket.destroyed));
    }
  });

  test('a question that waits too long while others are answered is `overloaded`, so its request does not pass', async () => {
    const heldSockets: Socket[] = [];
    const validator = await startScripted((socket) => heldSockets.push(socket));
    const limits = { connections: 1, waiting: 2 };
    const { ask } = connectTo(validator.address, { timeout: 300, limits });
    const firstQuestion = ask();
    const waitingQuestions = [ask(), ask()];
    await waitUntil(() => heldSockets.length === 1);
    // The waiting questions have 300 ms. The validator answers after half of this time, so it is not silent for all of
    // it.
    await new Promise((resolve) => setTimeout(resolve, 150));
    heldSockets[0]?.write(ALLOW);
    expect((await firstQuestion).kind).toBe('answered');
    for (const outcome of waitingQuestions)
      expect(await outcome).toMatchObject({ reason: 'overloaded' });
  });

  test('a question that waits too long leaves the queue, and another question can wait', async () => {
    const validator = await startScripted(() => undefined);
    const limits = { connections: 1, waiting: 1 };
    const { ask } = connectTo(validator.address, { timeout: 300, limits });
    const outcomes = await Promise.all([ask(), ask()]);
    expect(outcomes).toMatchObject([{ reason: 'timeout' }, { reason: 'timeout' }]);
    // Both questions end in the same millisecond, in any order. So it is unknown whether the second one was sent.
    const countBefore = validator.questionCount();
    expect(await ask()).toMatchObject({ reason: 'timeout' });
    expect(validator.questionCount()).toBe(countBefore + 1);
  });
});

describe('a validator that does not answer', () => {
  test('is not asked any more; single questions show when the validator is back', async () => {
    const heldSockets: Socket[] = [];
    const validator = await startScripted((socket) => heldSockets.push(socket));
    const { address } = validator;
    const { ask, failForAll, time, logEntries, counted, isAway } = connectTo(address, {
      timeout: 300,
    });
    await failForAll();
    expect([validator.questionCount(), isAway()]).toEqual([5, true]);

    // The outcome comes in the same turn, not after the time limit.
    expect(ask()).toEqual({
      kind: 'failed',
      reason: 'breaker_open',
      detail: 'the validator has given no answer lately',
    });
    time.now += 1_000;
    heldSockets.length = 0;
    const trial = ask();
    expect(trial).toBeInstanceOf(Promise);
    expect(ask()).toMatchObject({ reason: 'breaker_open' });
    await waitUntil(() => heldSockets.length === 1);
    heldSockets[0]?.write(ALLOW);
    expect((await trial).kind).toBe('answered');
    expect(isAway()).toBe(false);
    expect(ask()).toBeInstanceOf(Promise);

    const validatorUrl = { validator: validator.address };
    expect(logEntries).toEqual([
      { event: 'validator_breaker_opened', fields: { ...validatorUrl, pauseMs: 1_000 } },
      { event: 'validator_breaker_closed', fields: { ...validatorUrl, openMs: 1_000 } },
    ]);
    expect(counted).toEqual([
      'guard_gateway_breaker_changes_total/opened',
      'guard_gateway_breaker_changes_total/closed',
    ]);
  });

  test.each([
    ['refuses connections', () => Promise.resolve(refusingAddress())],
    ['answers 503', async () => (await startScripted(writeText(answer(503, '{}')))).address],
    ['answers 502', async () => (await startScripted(writeText(answer(502, '<html>')))).address],
  ])('opens the breaker when the validator %s', async (_name, start) => {
    const { failForAll, isAway } = connectTo(await start());
    await failForAll();
    expect(isAway()).toBe(true);
  });

  test.each([
    ['a 500', answer(500, '{}')],
    ['`success: false`', answer(200, '{"success":false}')],
    ['nonsense', answer(200, 'ok')],
    ['too much', answer(200, ' '.repeat(5_000))],
    ['a 400', answer(400, '{}')],
  ])(
    'is not a validator that gives %s, because one visitor can provoke this answer',
    async (_name, text) => {
      const validator = await startScripted(writeText(text));
      const { askAbout, time, isAway } = connectTo(validator.address);
      for (let i = 0; i < 30; i++) {
        await askAbout(`198.51.${i}.1`);
        time.now += 1_000;
      }
      expect([validator.questionCount(), isAway()]).toEqual([30, false]);
    },
  );
});
