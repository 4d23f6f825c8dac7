import { once } from 'node:events';
import { connect } from 'node:net';
import type { QueryOutcome } from '@guard/config/contract/ports';
import type { ReplayOutcome } from '@guard/config/contract/replay';
import type { Settings } from '@guard/config/settings/schema';
import fastify, { type FastifyPluginAsync } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { dataRoutes } from './data-routes.ts';
import { liveRoute } from './live-route.ts';

const IDLE_MS = 100;
const viewerOf = () => ({ organisation: 'acme', via: 'key' as const });
const noSettings = { organisations: [] } as unknown as Settings;

/** Serves a route, and closes connections that are idle for a tenth of a second. */
async function serve(route: FastifyPluginAsync) {
  const app = fastify({ connectionTimeout: IDLE_MS, forceCloseConnections: true });
  await app.register(route);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  /** Opens an idle connection and waits until it is closed. */
  const untilIdleIsClosed = () =>
    once(connect(Number(new URL(url).port), '127.0.0.1').resume(), 'close');
  return { url, untilIdleIsClosed };
}

/** A fake of the port that answers when the test calls `resolve`. */
function waitingPort<Outcome>() {
  const firstQuestion = Promise.withResolvers<undefined>();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const port = () => {
    firstQuestion.resolve(undefined);
    return promise;
  };
  return { port, firstQuestion: firstQuestion.promise, resolve };
}

test('a live view keeps its connection while its statement waits', async () => {
  const { port, firstQuestion, resolve } = waitingPort<QueryOutcome>();
  const route = liveRoute({ viewerOf, runQuery: port, clock: Date.now, isOpen: () => true });
  const { url, untilIdleIsClosed } = await serve(route);
  const { body } = await fetch(`${url}/api/live`);
  await firstQuestion;
  await untilIdleIsClosed();
  resolve({ kind: 'refused', message: 'the turn came' });
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.includes('the turn came')) break;
  }
  expect(text).toContain('event: failed');
});

test('a replay keeps its connection while its statement waits', async () => {
  const { port, firstQuestion, resolve } = waitingPort<ReplayOutcome>();
  const health = () => Promise.reject(new Error('not firstQuestion'));
  const route = dataRoutes({
    ...{ settings: noSettings, revision: '', docsUrl: () => undefined, viewerOf, health },
    replay: port,
  });
  const { url, untilIdleIsClosed } = await serve(route);
  const answer = fetch(`${url}/api/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"change":{}}',
  });
  await firstQuestion;
  await untilIdleIsClosed();
  resolve({ kind: 'busy' });
  expect((await answer).status).toBe(429);
});
