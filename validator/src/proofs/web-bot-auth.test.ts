import { parseKeyFile } from '@guard/config/settings/sections/web-bot-auth';
import { createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { type SignedRequest, signatureBase } from './signature-base.ts';
import { type InnerList, parseDictionary } from './structured-field.ts';
import { UsedNonces } from './used-nonces.ts';
import { createSignatureCheck, type SentRequest, type SignatureProof } from './web-bot-auth.ts';

const NOW = Date.UTC(2026, 10, 21, 9);
const now = NOW / 1000;

/** Appendix B.1.4 of RFC 9421: test-key-ed25519. */
const RFC_KEY = { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' };

function listOf(input: string, label: string): InnerList {
  const member = parseDictionary(input)?.get(label);
  if (member?.kind !== 'list') throw new Error('not an inner list');
  return member;
}

describe('the signature base follows RFC 9421', () => {
  const request: SignedRequest = {
    method: 'POST',
    url: 'https://example.com/foo?param=Value&Pet=dog',
    headers: {
      host: 'example.com',
      date: 'Tue, 20 Apr 2021 02:07:55 GMT',
      'content-type': 'application/json',
      'content-length': '18',
    },
  };

  test('appendix B.2.6: the published signature of the published request verifies', () => {
    const input =
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length")' +
      ';created=1618884473;keyid="test-key-ed25519"';
    const signature =
      'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
    const built = signatureBase(listOf(input, 'sig-b26'), request);
    expect(built).toEqual({
      kind: 'built',
      base: [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@method": POST',
        '"@path": /foo',
        '"@authority": example.com',
        '"content-type": application/json',
        '"content-length": 18',
        '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      ].join('\n'),
    });
    const key = createPublicKey({ key: RFC_KEY, format: 'jwk' });
    const base = Buffer.from(built.kind === 'built' ? built.base : '');
    expect(verify(null, base, key, Buffer.from(signature, 'base64'))).toBe(true);
  });

  test.each([
    ['"@target-uri"', 'https://example.com/foo?param=Value&Pet=dog'],
    ['"@scheme"', 'https'],
    ['"@request-target"', '/foo?param=Value&Pet=dog'],
    ['"@query"', '?param=Value&Pet=dog'],
  ])('section 2.2: %s', (component, value) => {
    const built = signatureBase(listOf(`a=(${component})`, 'a'), request);
    expect(built.kind === 'built' && built.base.split('\n')[0]).toBe(`${component}: ${value}`);
  });

  test.each([
    ['https://EXAMPLE.com:443/', 'example.com'],
    ['http://example.com:80', 'example.com'],
    ['https://example.com:8443?x', 'example.com:8443'],
    ['http://[2001:db8::1]:8080/', '[2001:db8::1]:8080'],
  ])('section 2.2.3: the authority of %s is %s', (url, authority) => {
    const built = signatureBase(listOf('a=("@authority")', 'a'), { ...request, url });
    expect(built.kind === 'built' && built.base.split('\n')[0]).toBe(`"@authority": ${authority}`);
  });

  test('section 2.2.7: without a query, the component is a question mark', () => {
    const built = signatureBase(listOf('a=("@query")', 'a'), {
      ...request,
      url: 'https://a.example',
    });
    expect(built.kind === 'built' && built.base.split('\n')[0]).toBe('"@query": ?');
  });

  test.each([
    ['"@authority" "@authority"', 'component_unsupported'],
    ['"@query-param";name="x"', 'component_unsupported'],
    ['"@authority";req', 'component_unsupported'],
    ['"date";bs', 'component_unsupported'],
    ['date', 'component_unsupported'],
    ['"x-absent"', 'component_missing'],
    ['"date";key="a"', 'component_missing'],
  ])('there is no signature base for %s', (components, kind) => {
    expect(signatureBase(listOf(`a=(${components})`, 'a'), request)).toEqual({ kind });
  });
});

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

/** The request with a signature, by default a good one. */
function signed(bot: Bot, signing: Signing = {}): SentRequest {
  const { request = REQUEST, created = now - 10, expires = now + 60 } = signing;
  const components = signing.components ?? '"@authority" "signature-agent"';
  const parameters = signing.parameters ?? `;keyid="${bot.keyId}";alg="ed25519";tag="web-bot-auth"`;
  const input = `sig1=(${components});created=${created};expires=${expires}${parameters}`;
  const built = signatureBase(listOf(input, 'sig1'), request);
  const base = built.kind === 'built' ? built.base : 'nothing';
  const signature = sign(null, Buffer.from(base), bot.privateKey).toString('base64');
  const headers = { 'signature-input': input, signature: `sig1=:${signature}:` };
  return { ...request, headers: { ...request.headers, ...headers } };
}

const bot = newBot();

function createCheck(keys: ReturnType<typeof keysOf>, maxNonces?: number) {
  return createSignatureCheck(keys, () => NOW, new UsedNonces(maxNonces), {});
}

function check(request: SentRequest, keys = [bot.directory]): SignatureProof {
  return createCheck(keysOf(...keys))(request);
}

function fault(request: SentRequest, keys?: Record<string, unknown>[]): string {
  const proof = check(request, keys);
  return proof.kind === 'invalid' ? proof.fault : proof.kind;
}

describe('Web Bot Auth', () => {
  test('a signature with a key of the directory is valid, and names the agent', () => {
    expect(check(signed(bot))).toMatchObject({
      kind: 'valid',
      key: { agent: 'OpenAI', operator: 'OpenAI', keyId: bot.keyId },
    });
  });

  test('a request signed by another implementation is valid', async () => {
    const jwk = bot.privateKey.export({ format: 'jwk' });
    const message = { method: 'GET', url: REQUEST.url, headers: { ...REQUEST.headers } };
    const made = await signatureHeaders(message, await signerFromJWK(jwk), {
      created: new Date(NOW - 1_000),
      expires: new Date(NOW + 60_000),
    });
    const headers = {
      ...REQUEST.headers,
      signature: made.Signature,
      'signature-input': made['Signature-Input'],
    };
    expect(check({ ...REQUEST, headers }).kind).toBe('valid');
    const elsewhere = { ...REQUEST, url: 'https://other.example/', headers };
    expect(fault(elsewhere)).toBe('signature');
  });

  test('a Signature-Agent that is a dictionary is covered by its key (RFC 9421 section 2.1.2)', () => {
    const headers = { ...REQUEST.headers, 'signature-agent': 'sig1="https://bot.example"' };
    const request = { ...REQUEST, headers };
    const components = '"@authority" "signature-agent";key="sig1"';
    expect(check(signed(bot, { request, components })).kind).toBe('valid');
  });

  test('a request without such a signature has no proof and no fault', () => {
    expect(check(REQUEST)).toEqual({ kind: 'absent' });
    const parameters = `;keyid="${bot.keyId}";tag="another-use"`;
    expect(check(signed(bot, { parameters }))).toEqual({ kind: 'absent' });
  });

  test('of several signatures, only the one with the tag counts', () => {
    const good = signed(bot);
    const headers = {
      ...good.headers,
      'signature-input': `other=("date");created=1, ${good.headers['signature-input'] ?? ''}`,
      signature: `other=:AAAA:, ${good.headers['signature'] ?? ''}`,
    };
    expect(check({ ...good, headers }).kind).toBe('valid');
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
  ])('a signature is worth nothing: %s', (expected, signing) => {
    expect(fault(signed(bot, signing))).toBe(expected);
  });

  test('a signature covers at most 16 parts of a request', () => {
    const covering = (fields: number) => {
      const names = Array.from({ length: fields }, (_, at) => `x-${at}`);
      const headers = { ...REQUEST.headers, ...Object.fromEntries(names.map((n) => [n, 'a'])) };
      const components = ['@authority', 'signature-agent', ...names].map((name) => `"${name}"`);
      return signed(bot, { request: { ...REQUEST, headers }, components: components.join(' ') });
    };
    expect(check(covering(14)).kind).toBe('valid');
    expect(fault(covering(15))).toBe('component_unsupported');
  });

  test('covering many keys of a long field takes no more time than covering one', () => {
    const members = Array.from({ length: 60 }, (_, at) => `k${at}=(${'a '.repeat(60)})`);
    const headers = { ...REQUEST.headers, 'x-long': members.join() };
    const covering = (keys: number) => {
      const covered = Array.from({ length: keys }, (_, at) => `"x-long";key="k${at}"`);
      return listOf(`a=("@authority" ${covered.join(' ')} "x-absent")`, 'a');
    };
    // The quickest of many measurements, so that other programs on the processor do not matter.
    const quickestMs = (covered: InnerList) => {
      const times = Array.from({ length: 30 }, () => {
        const began = performance.now();
        expect(signatureBase(covered, { ...REQUEST, headers }).kind).toBe('component_missing');
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    expect(quickestMs(covering(14))).toBeLessThan(4 * quickestMs(covering(1)));
  });

  test('clocks may differ by half a minute, and a signature may be valid for a day', () => {
    expect(check(signed(bot, { created: now + 30, expires: now + 60 })).kind).toBe('valid');
    expect(check(signed(bot, { created: now - 600, expires: now - 29 })).kind).toBe('valid');
    expect(check(signed(bot, { created: now - 10, expires: now - 10 + 86_400 })).kind).toBe(
      'valid',
    );
  });

  test('a signature is invalid when a covered component was changed', () => {
    const good = signed(bot);
    const agent = { ...good.headers, 'signature-agent': '"https://other.example"' };
    expect(fault({ ...good, headers: agent })).toBe('signature');
    expect(fault({ ...good, url: 'https://other.example/' })).toBe('signature');
    const stretched = (good.headers['signature-input'] ?? '').replace(
      /expires=\d+/,
      `expires=${now + 61}`,
    );
    expect(fault({ ...good, headers: { ...good.headers, 'signature-input': stretched } })).toBe(
      'signature',
    );
    // Another key with the name of a good one.
    const stranger = { ...newBot(), keyId: bot.keyId };
    expect(fault(signed(stranger))).toBe('signature');
  });

  test.each([
    ['a Signature-Input that is not a dictionary', { 'signature-input': 'sig1=(' }],
    ['no Signature', { signature: '' }],
    ['a Signature under another label', { signature: `sig2=:${'A'.repeat(86)}==:` }],
    ['a Signature of another length', { signature: 'sig1=:AAAA:' }],
  ])('%s is malformed', (_what, over) => {
    const good = signed(bot);
    expect(fault({ ...good, headers: { ...good.headers, ...over } })).toBe('malformed');
  });

  test('a key counts only in its own period', () => {
    const early = newBot({ nbf: now + 1 });
    const late = newBot({ exp: now });
    expect(fault(signed(early), [early.directory])).toBe('key_expired');
    expect(fault(signed(late), [late.directory])).toBe('key_expired');
    const current = newBot({ nbf: now, exp: now + 1 });
    expect(check(signed(current), [current.directory]).kind).toBe('valid');
  });

  test('a nonce counts once; a signature without one counts each time', () => {
    const checkSignature = createCheck(keysOf(bot.directory));
    const once = signed(bot, {
      parameters: `;keyid="${bot.keyId}";nonce="n1";tag="web-bot-auth"`,
    });
    expect(checkSignature(once).kind).toBe('valid');
    expect(checkSignature(once)).toEqual({ kind: 'invalid', fault: 'replayed' });
    const often = signed(bot);
    expect(checkSignature(often).kind).toBe('valid');
    expect(checkSignature(often).kind).toBe('valid');
  });

  test('a bad signature uses up no nonce', () => {
    const checkSignature = createCheck(keysOf(bot.directory));
    const parameters = `;keyid="${bot.keyId}";nonce="n1";tag="web-bot-auth"`;
    const forged = signed({ ...newBot(), keyId: bot.keyId }, { parameters });
    expect(checkSignature(forged)).toEqual({ kind: 'invalid', fault: 'signature' });
    expect(checkSignature(signed(bot, { parameters })).kind).toBe('valid');
  });

  test('nonces are remembered up to a limit; the oldest is forgotten first', () => {
    const checkSignature = createCheck(keysOf(bot.directory), 100);
    const nonce = (at: number) =>
      signed(bot, { parameters: `;keyid="${bot.keyId}";nonce="n${at}";tag="web-bot-auth"` });
    const first = nonce(0);
    expect(checkSignature(first).kind).toBe('valid');
    for (let at = 1; at < 100; at += 1) checkSignature(nonce(at));
    expect(checkSignature(first)).toEqual({ kind: 'invalid', fault: 'replayed' });
    for (let at = 100; at < 200; at += 1) checkSignature(nonce(at));
    expect(checkSignature(first).kind).toBe('valid');
  });
});
