import { connect } from 'node:net';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { SessionStore } from '@guard/config/contract/ports';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { organisationWith } from '../../../test/kit/policies.ts';
import { poll } from '../../../test/kit/http.ts';
import { visit } from '../../../test/kit/visitors.ts';
import { createValidator } from '../index.ts';
import { MemoryStore } from '../session/memory-store.ts';

const KEY = 'sk_routes_test_key_5678';
const body = JSON.stringify(visit({ cookie: '6e5f3a0e-1111-8222-8333-123456789abc' }));

async function serve(over: {
  readonly collectorUrl?: () => string;
  readonly session?: SessionStore['session'];
}) {
  const log: string[] = [];
  const memory = new MemoryStore(Date.now, { maxSessions: 10, maxSpent: 10, maxBudgets: 10 });
  const validator = createValidator({
    organisations: [organisationWith('[]', { secret_keys: [{ id: 'a', key: KEY }] })],
    secrets: ['the secret of the tests, long enough'],
    observe: false,
    collectorUrl: over.collectorUrl ?? (() => ''),
    healthToken: undefined,
    crawlers: CrawlerCatalogue.load(),
    store: {
      session: over.session ?? ((id) => memory.session(id)),
      keepSession: (...args) => memory.keepSession(...args),
      spend: (...args) => memory.spend(...args),
      take: (...args) => memory.take(...args),
      takeAll: (...args) => memory.takeAll(...args),
      remember: (...args) => memory.remember(...args),
      remembers: (...args) => memory.remembers(...args),
      close: () => memory.close(),
    },
    events: { record: () => undefined },
    clock: Date.now,
    log: (...line) => log.push(JSON.stringify(line)),
    metrics: { count: () => undefined, gauge: () => undefined },
    isReady: () => true,
  });
  const app = fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  await app.register(validator.validateRoutes);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const post = () =>
    fetch(`${url}/validate`, { method: 'POST', headers: { 'x-api-key': KEY }, body });
  return { url, post, log };
}

test('7.1 whatever breaks behind the body is a logged internal_server_error, and ends no process', async () => {
  const { post, log } = await serve({
    collectorUrl: () => {
      throw new TypeError('with a detail');
    },
  });
  const response = await post();
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: { type: 'internal_server_error' } });
  expect(log).toEqual(['["error","validate_failed",{"error":"TypeError"}]']);
});

test('4.1 a caller that hangs up before its answer harms no other caller', async () => {
  const waiting: (() => void)[] = [];
  const session = () => new Promise<undefined>((resolve) => waiting.push(() => resolve(undefined)));
  const { url, post, log } = await serve({ session });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST /validate HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const asked = (count: number) =>
    poll(
      () => Promise.resolve(waiting.length),
      (length) => length === count,
      5_000,
    );
  await asked(1);
  socket.destroy();
  await closed;
  waiting[0]?.();
  const next = post();
  await asked(2);
  waiting[1]?.();
  expect((await next).status).toBe(200);
  expect(log).toEqual([]);
});

test('8 what follows a body that is too long is not taken for a request', async () => {
  const { url } = await serve({});
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const smuggled = `GET /health HTTP/1.1\r\nHost: x\r\n\r\n`;
  socket.write(
    `POST /validate HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Length: 262145\r\n\r\n${smuggled}`,
  );
  await closed;
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  expect(text).toMatch(/\r\nconnection: close\r\n/i);
});

test('a hundred questions at once get an answer each, also beside callers who hang up', async () => {
  const { url, post } = await serve({});
  const { hostname, port } = new URL(url);
  const head = `POST /validate HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (let i = 0; i < 20; i += 1) {
    const leaving = connect(Number(port), hostname, () => {
      leaving.write(head + body, () => leaving.resetAndDestroy());
    });
    leaving.on('error', () => undefined);
  }
  const responses = await Promise.all(Array.from({ length: 100 }, post));
  const ids = new Set<unknown>();
  for (const response of responses) {
    expect(response.status).toBe(200);
    ids.add(((await response.json()) as { request_id: unknown }).request_id);
  }
  expect(ids.size).toBe(100);
});
