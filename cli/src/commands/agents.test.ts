import { readFetchedKeys } from '@guard/config/settings/keys/agent-keys';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { newSigningAgent } from '../../../test/kit/visitors/signing-agent.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { runCommand } from '../testing/run-command.ts';
import { serve } from '../../../test/kit/serve.ts';

const root = testFolder();
const file = join(root, 'guard.yaml');
const into = join(root, 'agents');
const CHATGPT = { name: 'chatgpt-agent', url: 'https://chatgpt.com' };
writeFileSync(
  file,
  `version: 1
listen: {}
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
organisations: [{ id: acme, rules: [{ name: agents, match: { agent: chatgpt-agnet }, challenge: never }] }]
web_bot_auth:
  directories:
    - { name: chatgpt-agent, url: https://chatgpt.com }
    - { name: google-agent, url: https://agent.bot.goog }
  fetched_keys: ./agents
`,
);

type Answer = (response: ServerResponse) => void;
const PATH = '/chatgpt.com/.well-known/http-message-signatures-directory';
const answers = new Map<string, Answer>();
let requests: Record<string, unknown>[] = [];
const base = await serve((request, response) => {
  requests.push(request.headers);
  const answer = answers.get(request.url ?? '');
  if (answer) answer(response);
  else response.writeHead(404).end();
}, afterAll);
beforeEach(() => {
  requests = [];
  rmSync(into, { recursive: true, force: true });
});

const { jwk } = newSigningAgent();
const TYPE = { 'content-type': 'application/http-message-signatures-directory+json' };

function publish(body: unknown, headers: Record<string, string> = TYPE, status = 200): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  answers.set(PATH, (response) => response.writeHead(status, headers).end(text));
}

const refresh = (...options: string[]) =>
  runCommand('agents', 'refresh', '--config', file, '--source-base', base, ...options);
const keysHere = () => readFetchedKeys(into, CHATGPT)?.keys.map(({ x }) => x) ?? [];

describe('guard agents refresh', () => {
  test('keeps the keys that an origin publishes, and ignores keys of other kinds', async () => {
    publish({
      keys: [jwk, { kty: 'RSA', n: 'AQ', e: 'AQAB' }, { ...jwk, nbf: 1_743_465_600_000 }],
    });
    const { code, stdout } = await refresh('chatgpt-agent');
    expect(code).toBe(0);
    expect(stdout).toBe(
      `chatgpt-agent  updated  1 keys, 2 dropped\n\n1 of 1 directories are current in ${into}.\n`,
    );
    expect(keysHere()).toEqual([jwk.x]);
    expect(readdirSync(into)).toEqual(['chatgpt-agent.json']);
    const list = await runCommand('agents', 'list', '--config', file, '--json');
    expect(JSON.parse(list.stdout)).toMatchObject([
      { name: 'chatgpt-agent', keys: 1, fetched_at: expect.stringMatching(/^20/) as string },
      { name: 'google-agent', keys: 0, fetched_at: null },
    ]);
  });

  test('asks whether the keys have changed, and a directory that fails does not delay the others', async () => {
    publish({ keys: [jwk] }, { ...TYPE, etag: '"v1"' });
    expect((await refresh()).code).toBe(1);
    answers.set(PATH, (response) => response.writeHead(304).end());
    const { code, stdout } = await refresh('--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      directories: [
        { name: 'chatgpt-agent', result: 'unchanged', keys: 1, reason: '' },
        { name: 'google-agent', result: 'failed', keys: 0, reason: 'status 404' },
      ],
    });
    expect(requests.some((headers) => headers['if-none-match'] === '"v1"')).toBe(true);
  });

  test.each<[string, unknown, string, Record<string, string>?, number?]>([
    ['a web page', '<html>', 'the media type "text/html"', { 'content-type': 'text/html' }],
    ['a redirect', '', 'status 302', { location: 'http://127.0.0.1/' }, 302],
    ['an empty set', { keys: [] }, 'no usable Ed25519 key'],
    ['a private key', { keys: [{ ...jwk, d: 'x' }] }, 'no usable Ed25519 key'],
    ['incomplete JSON', '{"keys":[', 'no JSON'],
    ['too much', ' '.repeat(300_000), 'more than 256 KiB'],
    ['too many keys', { keys: Array(257).fill({}) }, 'more than 256 keys'],
  ])('%s leaves the last good keys in use', async (_what, body, reason, headers, status) => {
    publish({ keys: [jwk] });
    expect((await refresh('chatgpt-agent')).code).toBe(0);
    publish(body, headers, status);
    const { code, stdout } = await refresh('chatgpt-agent');
    expect([code, stdout]).toEqual([1, expect.stringContaining(reason)]);
    expect(keysHere()).toEqual([jwk.x]);
  });

  test('keys of one origin are not used for another origin with the same name', async () => {
    publish({ keys: [jwk] });
    await refresh('chatgpt-agent');
    expect(readFetchedKeys(into, { ...CHATGPT, url: 'https://thief.example' })).toBeUndefined();
  });
});

test('guard check names directories without keys, and unknown agents of rules', async () => {
  publish({ keys: [jwk] });
  await refresh('chatgpt-agent');
  const { code, stdout } = await runCommand('check', file);
  expect(code).toBe(0);
  expect(stdout).toContain(
    'no directory and no key of web_bot_auth is called chatgpt-agnet, so this condition never matches; did you mean chatgpt-agent?',
  );
  expect(stdout).toContain('no keys of https://agent.bot.goog are here: run guard agents refresh');
  expect(stdout).not.toContain('no keys of https://chatgpt.com');
});
