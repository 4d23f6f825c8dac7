import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuard } from '../start-guard.mjs';
import { askEverything, call, connect } from './ask.mjs';
import { makeTraffic } from './make-traffic.mjs';

const tell = (text) => console.log(text);
/** The time limit for the events. They are written in batches, after one or two seconds. */
const WRITTEN_MS = 15_000;

const { GUARD_API_URL, GUARD_ANALYTICS_KEY } = process.env;
if (GUARD_API_URL === undefined) await askOneOfItsOwn();
else await ask(GUARD_API_URL, GUARD_ANALYTICS_KEY, async () => undefined);

async function ask(api, key, whenConnected) {
  const client = await connect(api, key);
  await whenConnected(client);
  await askEverything(client, tell);
  await client.close();
}

async function askOneOfItsOwn() {
  const data = await mkdtemp(join(tmpdir(), 'guard-ask-'));
  const origin = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const random = () => randomBytes(32).toString('base64url');
  const key = `sk_api_ro_${random()}`;
  const guard = await startGuard(new URL('guard.yaml', import.meta.url), {
    GUARD_SECRET: random(),
    GUARD_ANALYTICS_KEY: key,
    ORIGIN: `http://127.0.0.1:${origin.address().port}`,
    DATA: data,
  });
  try {
    const sent = await makeTraffic(guard.addresses.gateway);
    tell(`Sent ${sent} requests through the gateway.`);
    await ask(guard.addresses.api, key, (client) => written(client, sent));
  } finally {
    await guard.stop();
    origin.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function written(client, sent) {
  const sql =
    'SELECT count() FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR FORMAT TSV';
  const until = Date.now() + WRITTEN_MS;
  while (Number(await call(client, 'query', { sql })) < sent) {
    if (Date.now() > until) throw new Error(`not all events were written in ${WRITTEN_MS} ms`);
    await sleep(100);
  }
}
