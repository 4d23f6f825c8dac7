import { parseKeyFile } from '@guard/config/settings/sections/web-bot-auth';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { signatureBase } from './signature-base.ts';
import { innerListOf } from './testing/inner-list.ts';
import { UsedNonces } from './used-nonces.ts';
import { createSignatureCheck, type SentRequest, type SignatureProof } from './web-bot-auth.ts';

const NOW = Date.UTC(2026, 10, 21, 9);
const now = NOW / 1000;

interface Bot {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly directory: Record<string, unknown>;
}

function newBot(changes: Record<string, unknown> = {}): Bot {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const directory = { ...publicKey.export({ format: 'jwk' }), operator: 'OpenAI', ...changes };
  const [key] = keysOf(directory);
  return { keyId: key?.keyId ?? '', privateKey, directory };
}

function keysOf(...directory: Record<string, unknown>[]) {
  const parsed = parseKeyFile(JSON.stringify({ keys: directory }));
  if (parsed.kind !== 'parsed') throw new Error(parsed.reason);
  return parsed.keys;
}

const REQUEST: SentRequest = {
  organisation: 'shop',
  ip: '198.18.0.7',
  method: 'GET',
  url: 'https://shop.example/catalogue?page=2',
  headers: { host: 'shop.example', 'signature-agent': '"https://bot.example"' },
};

interface Signing {
  readonly components?: string;
  readonly created?: number;
  readonly expires?: number;
  readonly parameters?: string;
  readonly request?: SentRequest;
}

/** Signs a request. By default the signature is valid. */
function signRequest(bot: Bot, signing: Signing = {}): SentRequest {
  const { request = REQUEST, created = now - 10, expires = now + 60 } = signing;
  const components = signing.components ?? '"@authority" "signature-agent"';
  const parameters = signing.parameters ?? `;keyid="${bot.keyId}";alg="ed25519";tag="web-bot-auth"`;
  const input = `sig1=(${components});created=${created};expires=${expires}${parameters}`;
  const built = signatureBase(innerListOf(input, 'sig1'), request);
  const base = built.kind === 'built' ? built.base : 'nothing';
  const signature = sign(null, Buffer.from(base), bot.privateKey).toString('base64');
  const headers = { 'signature-input': input, signature: `sig1=:${signature}:` };
  return { ...request, headers: { ...request.headers, ...headers } };
}

const bot = newBot();

function createCheck(keys: ReturnType<typeof keysOf>, maxNonces?: number) {
  return createSignatureCheck(keys, () => NOW, new UsedNonces(maxNonces), {
    takeInProcess: () => 0,
  });
}

function check(request: SentRequest, keys = [bot.directory]): SignatureProof {
  return createCheck(keysOf(...keys))(request);
}

function faultOf(request: SentRequest, keys?: Record<string, unknown>[]): string {
  const proof = check(request, keys);
  return proof.kind === 'invalid' ? proof.fault : proof.kind;
}

describe('Web Bot Auth', () => {
  test('a signature with a key of the directory is valid, and names the agent', () => {
    expect(check(signRequest(bot))).toMatchObject({
      kind: 'valid',
      key: { agent: 'OpenAI', operator: 'OpenAI', keyId: bot.keyId },
    });
  });

  test('a request signed by another implementation is valid', async () => {
    const jwk = bot.privateKey.export({ format: 'jwk' });
    const message = { method: 'GET', url: REQUEST.url, headers: { ...REQUEST.headers } };
    const signatureOfMessage = await signatureHeaders(message, await signerFromJWK(jwk), {
      created: new Date(NOW - 1_000),
      expires: new Date(NOW + 60_000),
    });
    const headers = {
      ...REQUEST.headers,
      signature: signatureOfMessage.Signature,
      'signature-input': signatureOfMessage['Signature-Input'],
    };
    expect(check({ ...REQUEST, headers }).kind).toBe('valid');
    const requestElsewhere = { ...REQUEST, url: 'https://other.example/', headers };
    expect(faultOf(requestElsewhere)).toBe('signature');
  });

  test('a signature can cover one key of a Signature-Agent that is a dictionary (RFC 9421 section 2.1.2)', () => {
    const headers = { ...REQUEST.headers, 'signature-agent': 'sig1="https://bot.example"' };
    const request = { ...REQUEST, headers };
    const components = '"@authority" "signature-agent";key="sig1"';
    expect(check(signRequest(bot, { request, components })).kind).toBe('valid');
  });

  test('a request without a signature of Web Bot Auth has no proof and no fault', () => {
    expect(check(REQUEST)).toEqual({ kind: 'absent' });
    const parameters = `;keyid="${bot.keyId}";tag="another-use"`;
    expect(check(signRequest(bot, { parameters }))).toEqual({ kind: 'absent' });
  });

  test('of several signatures, only the signature with the tag of Web Bot Auth is checked', () => {
    const validRequest = signRequest(bot);
    const headers = {
      ...validRequest.headers,
      'signature-input': `other=("date");created=1, ${validRequest.headers['signature-input'] ?? ''}`,
      signature: `other=:AAAA:, ${validRequest.headers['signature'] ?? ''}`,
    };
    expect(check({ ...validRequest, headers }).kind).toBe('valid');
  });

  test.each<[string, Signing]>([
    ['component_missing', { components: '"signature-agent"' }],
    ['component_missing', { components: '"@authority"' }],
    ['component_missing', { components: '"@authority" "signature-agent" "x-absent"' }],
    ['component_unsupported', { components: '"@authority" "signature-agent" "@status"' }],
    ['expired', { created: now - 600, expires: now - 30 }],
    ['not_yet_valid', { created: now + 31, expires: now + 60 }],
    ['lifetime', { created: now - 10, expires: now - 10 + 86_401 }],
    ['lifetime', { created: now, expires: now }],
    ['unknown_key', { parameters: ';keyid="unknown";tag="web-bot-auth"' }],
    ['algorithm', { parameters: `;keyid="${bot.keyId}";alg="hmac-sha256";tag="web-bot-auth"` }],
    ['malformed', { parameters: ';tag="web-bot-auth"' }],
    ['malformed', { parameters: `;keyid="${bot.keyId}";nonce=1;tag="web-bot-auth"` }],
  ])('an invalid signature has the fault %s', (expected, signing) => {
    expect(faultOf(signRequest(bot, signing))).toBe(expected);
  });

  test('a signature can cover at most 16 components of a request', () => {
    const requestCovering = (fields: number) => {
      const names = Array.from({ length: fields }, (_, at) => `x-${at}`);
      const headers = { ...REQUEST.headers, ...Object.fromEntries(names.map((n) => [n, 'a'])) };
      const components = ['@authority', 'signature-agent', ...names].map((name) => `"${name}"`);
      return signRequest(bot, {
        request: { ...REQUEST, headers },
        components: components.join(' '),
      });
    };
    expect(check(requestCovering(14)).kind).toBe('valid');
    expect(faultOf(requestCovering(15))).toBe('component_unsupported');
  });

  test('clocks can differ by half a minute, and a signature can be valid for a day', () => {
    expect(check(signRequest(bot, { created: now + 30, expires: now + 60 })).kind).toBe('valid');
    expect(check(signRequest(bot, { created: now - 600, expires: now - 29 })).kind).toBe('valid');
    expect(check(signRequest(bot, { created: now - 10, expires: now - 10 + 86_400 })).kind).toBe(
      'valid',
    );
  });

  test('a signature is invalid when a covered component was changed', () => {
    const validRequest = signRequest(bot);
    const agent = { ...validRequest.headers, 'signature-agent': '"https://other.example"' };
    expect(faultOf({ ...validRequest, headers: agent })).toBe('signature');
    expect(faultOf({ ...validRequest, url: 'https://other.example/' })).toBe('signature');
    const inputWithLaterExpiry = (validRequest.headers['signature-input'] ?? '').replace(
      /expires=\d+/,
      `expires=${now + 61}`,
    );
    expect(
      faultOf({
        ...validRequest,
        headers: { ...validRequest.headers, 'signature-input': inputWithLaterExpiry },
      }),
    ).toBe('signature');
    // Another key that has the id of the right key.
    const stranger = { ...newBot(), keyId: bot.keyId };
    expect(faultOf(signRequest(stranger))).toBe('signature');
  });

  test.each([
    ['a Signature-Input that is not a dictionary', { 'signature-input': 'sig1=(' }],
    ['no Signature', { signature: '' }],
    ['a Signature under another label', { signature: `sig2=:${'A'.repeat(86)}==:` }],
    ['a Signature of another length', { signature: 'sig1=:AAAA:' }],
  ])('%s is malformed', (_what, changes) => {
    const validRequest = signRequest(bot);
    expect(faultOf({ ...validRequest, headers: { ...validRequest.headers, ...changes } })).toBe(
      'malformed',
    );
  });

  test('a key is valid only in its own period', () => {
    const early = newBot({ nbf: now + 1 });
    const late = newBot({ exp: now });
    expect(faultOf(signRequest(early), [early.directory])).toBe('key_expired');
    expect(faultOf(signRequest(late), [late.directory])).toBe('key_expired');
    const current = newBot({ nbf: now, exp: now + 1 });
    expect(check(signRequest(current), [current.directory]).kind).toBe('valid');
  });

  test('a nonce is valid once, and a signature without a nonce is valid each time', () => {
    const checkSignature = createCheck(keysOf(bot.directory));
    const requestWithOneNonce = signRequest(bot, {
      parameters: `;keyid="${bot.keyId}";nonce="n1";tag="web-bot-auth"`,
    });
    expect(checkSignature(requestWithOneNonce).kind).toBe('valid');
    expect(checkSignature(requestWithOneNonce)).toEqual({ kind: 'invalid', fault: 'replayed' });
    const requestWithoutNonce = signRequest(bot);
    expect(checkSignature(requestWithoutNonce).kind).toBe('valid');
    expect(checkSignature(requestWithoutNonce).kind).toBe('valid');
  });

  test('a bad signature uses up no nonce', () => {
    const checkSignature = createCheck(keysOf(bot.directory));
    const parameters = `;keyid="${bot.keyId}";nonce="n1";tag="web-bot-auth"`;
    const forged = signRequest({ ...newBot(), keyId: bot.keyId }, { parameters });
    expect(checkSignature(forged)).toEqual({ kind: 'invalid', fault: 'signature' });
    expect(checkSignature(signRequest(bot, { parameters })).kind).toBe('valid');
  });

  test('nonces are remembered up to a limit, and the oldest nonce is forgotten first', () => {
    const checkSignature = createCheck(keysOf(bot.directory), 100);
    const requestWithNonce = (at: number) =>
      signRequest(bot, { parameters: `;keyid="${bot.keyId}";nonce="n${at}";tag="web-bot-auth"` });
    const firstRequest = requestWithNonce(0);
    expect(checkSignature(firstRequest).kind).toBe('valid');
    for (let at = 1; at < 100; at += 1) checkSignature(requestWithNonce(at));
    expect(checkSignature(firstRequest)).toEqual({ kind: 'invalid', fault: 'replayed' });
    for (let at = 100; at < 200; at += 1) checkSignature(requestWithNonce(at));
    expect(checkSignature(firstRequest).kind).toBe('valid');
  });
});
