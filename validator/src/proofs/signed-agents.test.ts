import { toBotKey } from '@guard/config/settings/sections/web-bot-auth';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { organisationWith } from '../../../test/kit/product/policies.ts';
import { newSigningAgent, type Signing } from '../../../test/kit/visitors/signing-agent.ts';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { chromeHttps, GOOGLEBOT_UA, HOME_IP, visit } from '../../../test/kit/visitors/visitors.ts';

/** The rules of the README. */
const DETECT = '[{ name: everybody, match: {}, detect: true, challenge: auto }]';

const chatgpt = newSigningAgent();
const keyOf = (agent: string, directory: string, operator?: string) =>
  toBotKey(chatgpt.jwk, { agent, directory, operator });
const CHATGPT = keyOf('chatgpt-agent', 'https://chatgpt.com', 'OpenAI');
/** The key of a directory that lists a foreign key as its own. */
const THIEF = keyOf('thief', 'https://thief.example');

/** Headers that name Windows in one field and Linux in another, as ChatGPT agent once sent. */
const CONTRADICTING_HEADERS = { ...chromeHttps, 'sec-ch-ua-platform': '"Linux"' };

function createShop(rules = DETECT, botKeys = [THIEF, CHATGPT], organisation = {}) {
  const guard = validatorWith(rules, { botKeys, organisation });
  return {
    ...guard,
    /** Makes a visit with a signature. Returns the answer, and the signer in the event. */
    visitSigned: async (
      changes: Partial<Signing> = {},
      headers: Readonly<Record<string, string>> = CONTRADICTING_HEADERS,
      ip = HOME_IP,
    ) => {
      const signature = chatgpt.sign({
        signatureAgent: '"https://chatgpt.com"',
        createdMs: guard.time.now,
        ...changes,
      });
      const answer = await guard.ask(visit({ ip, headers: { ...headers, ...signature } }));
      return { ...answer, signedAgent: guard.events.at(-1)?.signedAgent?.name };
    },
  };
}

describe('a valid signature is an identity with any User-Agent', () => {
  test('a signed agent that looks like a Chrome with a wrong header is recognised, without findings', async () => {
    const { ask, visitSigned } = createShop();
    expect(await ask(visit({ headers: CONTRADICTING_HEADERS }))).toMatchObject({
      decision: 'redirect',
      block_reasons: ['client_hints_mismatch'],
    });
    expect(await visitSigned()).toMatchObject({ decision: 'allow', signedAgent: 'chatgpt-agent' });
  });

  test('a signed agent gets its free pages, and then the challenge', async () => {
    const { visitSigned } = createShop();
    const decisions: string[] = [];
    for (let page = 0; page < 7; page += 1) decisions.push((await visitSigned()).decision);
    expect(decisions).toEqual([...Array<string>(5).fill('allow'), 'redirect', 'redirect']);
  });

  test('when a signed agent claims to be a crawler, its claim is judged as usual', async () => {
    const googlebot = { ...CONTRADICTING_HEADERS, 'user-agent': GOOGLEBOT_UA };
    expect(await createShop().visitSigned({}, googlebot)).toMatchObject({
      decision: 'block',
      block_reasons: ['crawler_impersonator'],
      signedAgent: 'chatgpt-agent',
    });
    const { ask, visitSigned } = createShop(DETECT, [CHATGPT], {
      crawler_allowlist: ['ChatGPT-User'],
    });
    const headersOfOwnCrawler = { ...CONTRADICTING_HEADERS, 'user-agent': 'ChatGPT-User/1.0' };
    expect((await ask(visit({ headers: headersOfOwnCrawler }))).decision).toBe('block');
    expect(await visitSigned({}, headersOfOwnCrawler)).toMatchObject({
      crawler: { access_allowed: true },
    });
  });

  test.each<[string, Partial<Signing>]>([
    ['a dictionary', { signatureAgent: 'g="https://chatgpt.com"' }],
    [
      'a member of a dictionary',
      { signatureAgent: 'g="https://chatgpt.com/"', covers: '"signature-agent";key="g"' },
    ],
  ])('a signature can name its directory in %s', async (_what, changes) => {
    expect((await createShop().visitSigned(changes)).signedAgent).toBe('chatgpt-agent');
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
  ])('a signature %s proves no agent, and the visit is judged as usual', async (_what, changes) => {
    const answer = await createShop().visitSigned(changes);
    expect(answer).toMatchObject({ decision: 'redirect', signedAgent: undefined });
    expect(answer.block_reasons).toEqual(['client_hints_mismatch']);
  });

  test('a directory gains nothing by a foreign key, even when no other directory lists this key', async () => {
    expect((await createShop(DETECT, [THIEF]).visitSigned()).signedAgent).toBeUndefined();
    expect((await createShop(DETECT, [THIEF, CHATGPT]).visitSigned()).signedAgent).toBe(
      'chatgpt-agent',
    );
    expect((await createShop(DETECT, [CHATGPT, THIEF]).visitSigned()).signedAgent).toBe(
      'chatgpt-agent',
    );
  });

  test('a nonce is valid once, and a signature without a nonce is valid at its site until it expires', async () => {
    const { visitSigned } = createShop();
    expect((await visitSigned({ nonce: 'n' })).signedAgent).toBe('chatgpt-agent');
    expect((await visitSigned({ nonce: 'n' })).signedAgent).toBeUndefined();
    expect((await visitSigned()).signedAgent).toBe('chatgpt-agent');
    expect((await visitSigned({}, CONTRADICTING_HEADERS, '198.51.100.9')).signedAgent).toBe(
      'chatgpt-agent',
    );
  });
});

test('Guard checks 20 bad signatures of one address in a minute and then no more, and other addresses are not affected', async () => {
  const { visitSigned, time } = createShop();
  for (let attempt = 0; attempt < 20; attempt += 1)
    await visitSigned({ authority: `${attempt}.example` });
  expect((await visitSigned()).signedAgent).toBeUndefined();
  expect((await visitSigned({}, CONTRADICTING_HEADERS, '198.51.100.9')).signedAgent).toBe(
    'chatgpt-agent',
  );
  time.now += 60_001;
  expect((await visitSigned()).signedAgent).toBe('chatgpt-agent');
});

test('bad signatures that another organisation invents for an address do not count here', async () => {
  const secret_keys = [{ id: 'backend', key: 'sk_other_key_of_the_tests_1234' }];
  const ownKeys = [{ id: 'backend', key: 'sk_own_key_of_the_tests_123456' }];
  const { validator, events, time } = validatorWith(DETECT, {
    botKeys: [CHATGPT],
    organisation: { secret_keys: ownKeys },
    neighbour: organisationWith(DETECT, { id: 'globex', secret_keys }),
  });
  const app = fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  await app.register(validator.validateRoutes);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (key: string, authority: string) => {
    const signing = { signatureAgent: '"https://chatgpt.com"', createdMs: time.now, authority };
    const question = visit({ headers: { ...CONTRADICTING_HEADERS, ...chatgpt.sign(signing) } });
    const { status } = await fetch(`${url}/validate`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify(question),
    });
    return [status, events.at(-1)?.signedAgent?.name];
  };
  for (let attempt = 0; attempt < 20; attempt += 1)
    await ask('sk_other_key_of_the_tests_1234', `${attempt}.example`);
  expect(await ask('sk_own_key_of_the_tests_123456', 'shop.example')).toEqual([
    200,
    'chatgpt-agent',
  ]);
});

test.each<[string, Partial<Signing>]>([
  ['that covers a missing field', { covers: '"signature-agent" "x-absent"' }],
  ['that covers an unsupported component', { covers: '"signature-agent" "@status"' }],
  ['that has expired', { createdMs: 0 }],
])('a signature %s is counted as a bad signature of its address', async (_what, changes) => {
  const { visitSigned, time } = createShop();
  for (let attempt = 0; attempt < 20; attempt += 1) await visitSigned(changes);
  expect((await visitSigned()).signedAgent).toBeUndefined();
  expect((await visitSigned({}, CONTRADICTING_HEADERS, '198.51.100.9')).signedAgent).toBe(
    'chatgpt-agent',
  );
  time.now += 60_001;
  expect((await visitSigned()).signedAgent).toBe('chatgpt-agent');
});

test('a signature that was good before stays valid at an address with bad signatures', async () => {
  const { visitSigned, time } = createShop();
  const createdMs = time.now;
  expect((await visitSigned({ createdMs })).signedAgent).toBe('chatgpt-agent');
  for (let attempt = 0; attempt < 21; attempt += 1)
    await visitSigned({ covers: '"signature-agent" "x-absent"' });
  expect((await visitSigned({ createdMs })).signedAgent).toBe('chatgpt-agent');
  expect((await visitSigned({ createdMs: createdMs + 1000 })).signedAgent).toBeUndefined();
});

describe('rules name agents', () => {
  const blockRuleFor = (agent: string) =>
    `[{ name: agents, match: { agent: ${agent} }, verdict: block }]`;

  test.each([
    'chatgpt-agent',
    'ChatGPT-Agent',
    '[other, "https://chatgpt.com"]',
    '"https://chatgpt.com/"',
    '"*"',
  ])('a rule with agent: %s matches the signed agent', async (agent) => {
    const { ask, visitSigned } = createShop(blockRuleFor(agent));
    expect((await visitSigned()).decision).toBe('block');
    expect((await ask(visit({ headers: CONTRADICTING_HEADERS }))).decision).toBe('allow');
    expect((await visitSigned({ authority: 'other.example' })).decision).toBe('allow');
  });

  test('a rule for an agent matches no other agent', async () => {
    expect(
      (await createShop(blockRuleFor('[thief, "https://thief.example"]')).visitSigned()).decision,
    ).toBe('allow');
  });
});
