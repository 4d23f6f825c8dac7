import { parseKeyFile } from '@guard/config/settings/sections/web-bot-auth';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { visit } from '../../../test/kit/visitors/visitors.ts';

const DETECT = '[{ name: everything, match: {}, detect: true }]';
/** An address outside all published ranges of crawlers. */
const OUTSIDE = '198.18.0.7';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const parsed = parseKeyFile(
  JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), operator: 'OpenAI' }] }),
);
const botKeys = parsed.kind === 'parsed' ? parsed.keys : [];

function requestOfCrawler(userAgent: string, changes: Readonly<Record<string, string>> = {}) {
  return visit({
    url: 'https://shop.example/',
    ip: OUTSIDE,
    headers: { host: 'shop.example', 'user-agent': userAgent, ...changes },
  });
}

/** The headers of a request to the shop that an agent signed. */
async function signedHeaders(now: number): Promise<Record<string, string>> {
  const headers = { 'signature-agent': '"https://chatgpt.example"' };
  const signatureOfRequest = await signatureHeaders(
    { method: 'GET', url: 'https://shop.example/', headers },
    await signerFromJWK(privateKey.export({ format: 'jwk' })),
    { created: new Date(now - 1_000), expires: new Date(now + 60_000) },
  );
  return {
    ...headers,
    'signature-input': signatureOfRequest['Signature-Input'],
    signature: signatureOfRequest.Signature,
  };
}

describe('a signature with the key of its operator verifies a crawler (RFC 9421)', () => {
  const organisation = { crawler_allowlist: ['ChatGPT-User'] };

  test('a signed crawler outside the published ranges is verified, and the response has access_allowed (contract 2.4)', async () => {
    const { ask, events, time } = validatorWith(DETECT, { botKeys, organisation });
    const answer = await ask(requestOfCrawler('ChatGPT-User/1.0', await signedHeaders(time.now)));
    expect(answer).toMatchObject({ decision: 'allow', crawler: { access_allowed: true } });
    expect(events).toMatchObject([{ crawler: { name: 'ChatGPT-User', verified: true } }]);
  });

  test('a client without a signature, with an old signature, or without known keys is an impersonator', async () => {
    const { ask, time } = validatorWith(DETECT, { botKeys, organisation });
    const blocked = { decision: 'block', block_reasons: ['crawler_impersonator'] };
    expect(await ask(requestOfCrawler('ChatGPT-User/1.0'))).toMatchObject(blocked);
    const oldSignature = await signedHeaders(time.now - 120_000);
    expect(await ask(requestOfCrawler('ChatGPT-User/1.0', oldSignature))).toMatchObject(blocked);
    const guardWithoutKeys = validatorWith(DETECT, { organisation });
    const validSignature = await signedHeaders(guardWithoutKeys.time.now);
    expect(
      await guardWithoutKeys.ask(requestOfCrawler('ChatGPT-User/1.0', validSignature)),
    ).toMatchObject(blocked);
  });
});

test('from the second request of an address on, its host name proves a crawler or shows an impersonator', async () => {
  const names = new Map([
    ['198.18.0.7', 'x.crawl.baidu.com'],
    ['198.18.0.8', 'host.example'],
  ]);
  let lookupCount = 0;
  const settings = {
    organisation: { crawler_allowlist: ['Baiduspider'] },
    resolver: {
      reverse: (ip: string) => {
        lookupCount += 1;
        return Promise.resolve([names.get(ip) ?? '']);
      },
      resolve4: () => Promise.resolve(['198.18.0.7']),
      resolve6: () => Promise.resolve([]),
    },
  };
  const guard = validatorWith(DETECT, settings);
  const { ask, events } = guard;
  const claimFrom = (ip: string) => ({ ...requestOfCrawler('Baiduspider/2.0'), ip });
  for (const ip of names.keys()) {
    expect((await ask(claimFrom(ip))).block_reasons ?? []).not.toContain('crawler_impersonator');
  }
  await expect.poll(() => lookupCount).toBe(2);
  await new Promise(setImmediate);
  expect(await ask(claimFrom('198.18.0.7'))).toMatchObject({ crawler: { access_allowed: true } });
  expect((await ask(claimFrom('198.18.0.8'))).block_reasons).toEqual(['crawler_impersonator']);
  expect(events.map(({ crawler }) => crawler?.verified)).toEqual([false, false, true, false]);
  // A reload forgets no name.
  const reloaded = validatorWith(DETECT, { ...settings, before: guard });
  await reloaded.ask(claimFrom('198.18.0.7'));
  expect(reloaded.events.map(({ crawler }) => crawler?.verified)).toEqual([true]);
});

test.each([
  ['a virtual machine', '198.18.0.7', '7.0.18.198.bc.googleusercontent.com'],
  ['App Engine', '107.178.192.1', '107-178-192-1.gae.googleusercontent.com'],
])(
  'the host name that Google gives a customer for %s does not prove a crawler of Google',
  async (_what, ip, name) => {
    let lookupCount = 0;
    const { ask, events } = validatorWith(DETECT, {
      resolver: {
        reverse: () => Promise.resolve([name]),
        resolve4: () => {
          lookupCount += 1;
          return Promise.resolve([ip]);
        },
        resolve6: () => Promise.resolve([]),
      },
    });
    const askAsCrawler = () => ask({ ...requestOfCrawler('Google-NotebookLM'), ip });
    await askAsCrawler();
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    await askAsCrawler();
    expect(events.map(({ crawler }) => crawler?.verified)).toEqual([false, false]);
    expect(lookupCount).toBe(0);
  },
);
