import { toBotKey } from '@guard/config/settings/sections/web-bot-auth';
import { describe, expect, test } from 'vitest';
import { newSigningAgent, type Signing } from '../../../test/kit/visitors/signing-agent.ts';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { chromeHttps, GOOGLEBOT_UA, HOME_IP, visit } from '../../../test/kit/visitors/visitors.ts';

/** The settings of the README. */
const DETECT = '[{ name: everybody, match: {}, detect: true, challenge: auto }]';

const chatgpt = newSigningAgent();
const keyOf = (agent: string, directory: string, operator?: string) =>
  toBotKey(chatgpt.jwk, { agent, directory, operator });
const CHATGPT = keyOf('chatgpt-agent', 'https://chatgpt.com', 'OpenAI');
/** The key of a directory that also lists a foreign key as its own. */
const THIEF = keyOf('thief', 'https://thief.example');

/** An agent that names Windows in one header and Linux in another, as ChatGPT agent did. */
const odd = { ...chromeHttps, 'sec-ch-ua-platform': '"Linux"' };

function shop(rules = DETECT, botKeys = [THIEF, CHATGPT], organisation = {}) {
  const made = validatorWith(rules, { botKeys, organisation });
  return {
    ...made,
    /** Visits with a signature. Returns the answer, and the signer in the event. */
    come: async (
      changes: Partial<Signing> = {},
      headers: Readonly<Record<string, string>> = odd,
      ip = HOME_IP,
    ) => {
      const signature = chatgpt.sign({
        signatureAgent: '"https://chatgpt.com"',
        createdMs: made.time.now,
        ...changes,
      });
      const answer = await made.ask(visit({ ip, headers: { ...headers, ...signature } }));
      return { ...answer, signedAgent: made.events.at(-1)?.signedAgent?.name };
    },
  };
}

describe('a valid signature is an identity with any User-Agent', () => {
  test('a signed agent that looks like a Chrome with a wrong header is recognised, without findings', async () => {
    const { ask, come } = shop();
    expect(await ask(visit({ headers: odd }))).toMatchObject({
      decision: 'redirect',
      block_reasons: ['client_hints_mismatch'],
    });
    expect(await come()).toMatchObject({ decision: 'allow', signedAgent: 'chatgpt-agent' });
  });

  test('a signed agent gets its free pages, and then the challenge', async () => {
    const { come } = shop();
    const decisions: string[] = [];
    for (let page = 0; page < 7; page += 1) decisions.push((await come()).decision);
    expect(decisions).toEqual([...Array<string>(5).fill('allow'), 'redirect', 'redirect']);
  });

  test('a crawler claim of a signed agent is judged as usual', async () => {
    const googlebot = { ...odd, 'user-agent': GOOGLEBOT_UA };
    expect(await shop().come({}, googlebot)).toMatchObject({
      decision: 'block',
      block_reasons: ['crawler_impersonator'],
      signedAgent: 'chatgpt-agent',
    });
    const { ask, come } = shop(DETECT, [CHATGPT], { crawler_allowlist: ['ChatGPT-User'] });
    const own = { ...odd, 'user-agent': 'ChatGPT-User/1.0' };
    expect((await ask(visit({ headers: own }))).decision).toBe('block');
    expect(await come({}, own)).toMatchObject({ crawler: { access_allowed: true } });
  });

  test.each<[string, Partial<Signing>]>([
    ['a dictionary', { signatureAgent: 'g="https://chatgpt.com"' }],
    [
      'a member of a dictionary',
      { signatureAgent: 'g="https://chatgpt.com/"', covers: '"signature-agent";key="g"' },
    ],
  ])('a signature may name its directory in %s', async (_what, changes) => {
    expect((await shop().come(changes)).signedAgent).toBe('chatgpt-agent');
  });
});

describe('use of another agent’s signature', () => {
  test.each<[string, Partial<Signing>]>([
    ['recorded at another site', { authority: 'other.example' }],
    ['that has expired', { createdMs: 0 }],
    ['that names no directory of the settings', { signatureAgent: '"https://other.example"' }],
    ['that does not cover the directory', { covers: '"user-agent"' }],
    [
      'that names two directories',
      { signatureAgent: 'a="https://chatgpt.com", b="https://thief.example"' },
    ],
    ['without the scheme of a web address', { signatureAgent: '"chatgpt.com"' }],
  ])(
    'a signature %s is worth nothing: the visit is judged like any other',
    async (_what, changes) => {
      const answer = await shop().come(changes);
      expect(answer).toMatchObject({ decision: 'redirect', signedAgent: undefined });
      expect(answer.block_reasons).toEqual(['client_hints_mismatch']);
    },
  );

  test('a directory gains nothing by a foreign key, even when no other directory lists it', async () => {
    expect((await shop(DETECT, [THIEF]).come()).signedAgent).toBeUndefined();
    expect((await shop(DETECT, [THIEF, CHATGPT]).come()).signedAgent).toBe('chatgpt-agent');
    expect((await shop(DETECT, [CHATGPT, THIEF]).come()).signedAgent).toBe('chatgpt-agent');
  });

  test('a nonce counts once, and a signature of one site counts until it expires', async () => {
    const { come } = shop();
    expect((await come({ nonce: 'n' })).signedAgent).toBe('chatgpt-agent');
    expect((await come({ nonce: 'n' })).signedAgent).toBeUndefined();
    expect((await come()).signedAgent).toBe('chatgpt-agent');
    expect((await come({}, odd, '198.51.100.9')).signedAgent).toBe('chatgpt-agent');
  });
});

test('20 bad signatures of one address a minute are checked, then no more; other addresses are not affected', async () => {
  const { come, time } = shop();
  for (let sent = 0; sent < 20; sent += 1) await come({ authority: `${sent}.example` });
  expect((await come()).signedAgent).toBeUndefined();
  expect((await come({}, odd, '198.51.100.9')).signedAgent).toBe('chatgpt-agent');
  time.now += 60_001;
  expect((await come()).signedAgent).toBe('chatgpt-agent');
});

test.each<[string, Partial<Signing>]>([
  ['that covers a missing field', { covers: '"signature-agent" "x-absent"' }],
  ['that covers an unsupported component', { covers: '"signature-agent" "@status"' }],
  ['that has expired', { createdMs: 0 }],
])('a signature %s counts as a bad signature of its address', async (_what, changes) => {
  const { come, time } = shop();
  for (let sent = 0; sent < 20; sent += 1) await come(changes);
  expect((await come()).signedAgent).toBeUndefined();
  expect((await come({}, odd, '198.51.100.9')).signedAgent).toBe('chatgpt-agent');
  time.now += 60_001;
  expect((await come()).signedAgent).toBe('chatgpt-agent');
});

test('a signature that was good before still counts from an address with bad signatures', async () => {
  const { come, time } = shop();
  const createdMs = time.now;
  expect((await come({ createdMs })).signedAgent).toBe('chatgpt-agent');
  for (let sent = 0; sent < 21; sent += 1) await come({ covers: '"signature-agent" "x-absent"' });
  expect((await come({ createdMs })).signedAgent).toBe('chatgpt-agent');
  expect((await come({ createdMs: createdMs + 1000 })).signedAgent).toBeUndefined();
});

describe('rules name agents', () => {
  const blocks = (agent: string) =>
    `[{ name: agents, match: { agent: ${agent} }, verdict: block }]`;

  test.each([
    'chatgpt-agent',
    'ChatGPT-Agent',
    '[other, "https://chatgpt.com"]',
    '"https://chatgpt.com/"',
    '"*"',
  ])('agent: %s', async (agent) => {
    const { ask, come } = shop(blocks(agent));
    expect((await come()).decision).toBe('block');
    expect((await ask(visit({ headers: odd }))).decision).toBe('allow');
    expect((await come({ authority: 'other.example' })).decision).toBe('allow');
  });

  test('a rule for an agent matches no other agent', async () => {
    expect((await shop(blocks('[thief, "https://thief.example"]')).come()).decision).toBe('allow');
  });
});
