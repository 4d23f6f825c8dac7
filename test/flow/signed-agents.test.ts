import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { parseDictionary } from '../../validator/src/proofs/structured-field.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { poll, send } from '../kit/http.ts';
import { serve } from '../kit/serve.ts';
import { newSigningAgent, type Signing } from '../kit/visitors/signing-agent.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp } from '../kit/visitors/visitors.ts';

/** These tests send requests of agents that sign: they use fetched keys, rules and events. */

const agent = newSigningAgent();
const testbed = useProduct({
  rules: [
    { name: 'shop agents', match: { agent: 'chatgpt-agent', path: '/open/**' }, verdict: 'allow' },
    {
      name: 'agents slowly',
      match: { agent: '*', path: '/slowly/**' },
      challenge: 'never',
      rate_limit: { requests: 2, per: '1m', by: 'all' },
    },
    { name: 'closed', match: { path: '/closed' }, verdict: 'block' },
    { name: 'hidden', match: { path: '/hidden' }, verdict: 'block', status: 404 },
    { name: 'everybody', match: {}, detect: true, challenge: 'always' },
  ],
  top: {
    web_bot_auth: {
      directories: [{ name: 'chatgpt-agent', url: 'https://chatgpt.com', operator: 'OpenAI' }],
      fetched_keys: './agents',
    },
  },
});

const keySource = await serve((_request, response) => {
  response.setHeader('content-type', 'application/http-message-signatures-directory+json');
  response.end(JSON.stringify({ keys: [agent.jwk] }));
}, afterAll);

const ask = (path: string, fields: Readonly<Record<string, string>> = {}) =>
  send(`${testbed.product.addresses.gateway}${path}`, { headers: { ...chromeHttp, ...fields } });
const sign = (overrides: Partial<Signing> = {}) =>
  agent.sign({ signatureAgent: '"https://chatgpt.com"', createdMs: Date.now(), ...overrides });

test('while Guard has no keys it does not ask for signatures; it uses the keys that the command fetches while it runs', async () => {
  expect((await ask('/closed')).headers).not.toHaveProperty('accept-signature');
  expect((await ask('/open/1', sign())).status).toBe(403);
  const config = join(testbed.product.folder, 'guard.yaml');
  const result = await runCommand(
    'agents',
    'refresh',
    '--config',
    config,
    '--source-base',
    keySource,
  );
  expect([result.code, result.stderr]).toEqual([0, '']);
  const open = () => ask('/open/1', sign());
  await poll(open, ({ status }) => status === 200);
});

test('a 403 says how to sign (RFC 9421), but not to a signed request, and other statuses do not', async () => {
  for (const path of ['/closed', '/shop']) {
    const { status, headers } = await ask(path);
    expect([path, status]).toEqual([path, 403]);
    const field = String(headers['accept-signature']);
    expect(field).toBe('sig1=("@authority" "signature-agent");created;expires;tag="web-bot-auth"');
    expect(parseDictionary(field)?.get('sig1')).toMatchObject({ kind: 'list' });
  }
  expect((await ask('/hidden')).headers).not.toHaveProperty('accept-signature');
  const knownAnswer = await ask('/closed', sign());
  expect([knownAnswer.status, knownAnswer.headers['accept-signature']]).toEqual([403, undefined]);
});

test('a request whose signature covers a name of Object.prototype is not allowed', async () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    const signed = sign({ covers: `"signature-agent" "${name}"` });
    // The request is a POST, because the gateway reads the fields of a plain GET into an object without a prototype.
    const headers = { ...chromeHttp, ...signed, 'content-length': '0' };
    const gateway = testbed.product.addresses.gateway;
    const { status } = await send(`${gateway}/closed`, { method: 'POST', headers });
    expect([name, status]).toEqual([name, 403]);
  }
  expect(testbed.product.log()).not.toContain('gateway_fail_open');
});

test('one rule allows a signed agent with the User-Agent of Chrome, and another rule limits all agents', async () => {
  expect((await ask('/open/2', sign())).status).toBe(200);
  expect((await ask('/open/2')).status).toBe(403);
  const statuses: number[] = [];
  for (let sentCount = 0; sentCount < 3; sentCount += 1) {
    statuses.push((await ask(`/slowly/${sentCount}`, sign())).status);
  }
  expect(statuses).toEqual([200, 200, 429]);
});

test('a signature for another site, an old signature and a used nonce are not valid', async () => {
  const signedOnce = sign({ nonce: 'only once' });
  expect((await ask('/open/3', signedOnce)).status).toBe(200);
  expect((await ask('/open/3', signedOnce)).status).toBe(403);
  expect((await ask('/open/3', sign({ authority: 'other.example' }))).status).toBe(403);
  expect((await ask('/open/3', sign({ createdMs: Date.now() - 120_000 }))).status).toBe(403);
});

test('a reload keeps used nonces', async () => {
  const signedOnce = sign({ nonce: 'only once, also after a reload' });
  expect((await ask('/open/4', signedOnce)).status).toBe(200);
  const reloads = () => metricOf(testbed.product, 'guard_reloads_total{outcome="applied"}');
  const reloadsBefore = await reloads();
  appendFileSync(join(testbed.product.folder, 'guard.yaml'), '# changed\n');
  process.kill(testbed.product.pid, 'SIGHUP');
  await poll(reloads, (now) => now > reloadsBefore);
  expect((await ask('/open/4', signedOnce)).status).toBe(403);
  expect((await ask('/open/4', sign({ nonce: 'another' }))).status).toBe(200);
});

test('without a rule the agent is challenged, and the event has the agent’s name', async () => {
  expect((await ask('/unlisted', sign())).status).toBe(403);
  const sql = `SELECT action, signed_agent FROM events WHERE path = '/unlisted'`;
  const rows = () => rowsOf<Record<string, string>>(testbed.product, sql);
  expect(await poll(rows, (found) => found.length > 0)).toEqual([
    { action: 'challenge', signed_agent: 'chatgpt-agent' },
  ]);
});
