import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Validate } from '@guard/config/contract/ports';
import { validateOverHttp } from '@guard/gateway/remote-validator';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../../gateway/src/testing/gateway-rig.ts';
import { get, statusOf } from '../../gateway/src/testing/raw-client.ts';
import { startOrigin } from '../../gateway/src/testing/recording-origin.ts';
import { openInstance } from '../../validator/src/session/redis/testing/open-stores.ts';
import { startRedis } from '../kit/peers/redis-server.ts';
import { hasRedis } from '../kit/tools.ts';
import { serveValidator } from '../spec/serve-validator.ts';

/** Blocks this thread for longer than each deadline in a decision. */
function blockThread(): void {
  const endMs = performance.now() + 700;
  while (performance.now() < endMs);
}

/** Starts a gateway whose thread is busy after its first question, so that the reply waits in the socket. */
async function startBusy(validate: Validate, remote: boolean) {
  const origin = await startOrigin();
  let count = 0;
  const rig = await startGateway({
    origin: origin.address,
    remote,
    validate: (question, context) => {
      count += 1;
      if (count === 1) setImmediate(() => setImmediate(blockThread));
      return validate(question, context);
    },
  });
  return { ...rig, requests: origin.requests };
}

test.skipIf(!hasRedis)(
  'a reply of Redis that came in time is read before the deadline is checked: no visitor passes without a decision',
  async () => {
    const redis = await startRedis();
    const { store, log, counts } = await openInstance(redis.url);
    onTestFinished(() => store.close().then(() => redis.stop()));
    const rules = '[{ name: r, match: {}, verdict: block }]';
    const { inProcess } = await serveValidator({ rules, store });
    const { port, requests } = await startBusy(inProcess, false);
    const answer = await get(port, '/', `Cookie: _guard=${randomUUID()}`);
    expect([statusOf(answer), requests]).toEqual([403, []]);
    // Guard must not report Redis as away.
    expect([log, [...counts]]).toEqual([[], []]);
  },
);

/** A validator that blocks everybody. It has its own thread, so it answers while this thread is busy. */
const BLOCKING = `
  const { createServer } = require('node:http');
  const server = createServer((req, res) => {
    req.resume().on('end', () => res.end('{"success":true,"decision":"block"}'));
  });
  const told = () => require('node:worker_threads').parentPort.postMessage(server.address().port);
  server.listen(0, '127.0.0.1', told);
`;

test('a remote validator has its full time while the gateway is busy, also on connections that are still opening', async () => {
  const worker = new Worker(BLOCKING, { eval: true });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [validatorPort] = (await once(worker, 'message')) as [number];
  const countedMetrics: string[] = [];
  const remote = validateOverHttp(
    { url: `http://127.0.0.1:${validatorPort}`, key: 'k', timeout: 400 },
    {
      clock: Date.now,
      log: () => undefined,
      metrics: { count: (name, label = '') => countedMetrics.push(`${name}/${label}`) },
    },
  );
  onTestFinished(remote.close);
  const { port, requests } = await startBusy(remote.validate, true);
  const answers = await Promise.all([1, 2, 3, 4, 5].map((i) => get(port, `/${i}`)));
  expect([answers.map(statusOf), requests]).toEqual([[403, 403, 403, 403, 403], []]);
  expect([remote.isAway(), countedMetrics]).toEqual([false, []]);
});
