import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type SignedRequest, signatureBase } from './signature-base.ts';
import type { InnerList } from './structured-field.ts';
import { innerListOf } from './testing/inner-list.ts';

/** The key test-key-ed25519 of RFC 9421, appendix B.1.4. */
const RFC_KEY = { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' };

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
    const built = signatureBase(innerListOf(input, 'sig-b26'), request);
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
    const built = signatureBase(innerListOf(`a=(${component})`, 'a'), request);
    expect(built.kind === 'built' && built.base.split('\n')[0]).toBe(`${component}: ${value}`);
  });

  test.each([
    ['https://EXAMPLE.com:443/', 'example.com'],
    ['http://example.com:80', 'example.com'],
    ['https://example.com:8443?x', 'example.com:8443'],
    ['http://[2001:db8::1]:8080/', '[2001:db8::1]:8080'],
  ])('section 2.2.3: the authority of %s is %s', (url, authority) => {
    const built = signatureBase(innerListOf('a=("@authority")', 'a'), { ...request, url });
    expect(built.kind === 'built' && built.base.split('\n')[0]).toBe(`"@authority": ${authority}`);
  });

  test('section 2.2.7: without a query, the component is a question mark', () => {
    const built = signatureBase(innerListOf('a=("@query")', 'a'), {
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
    expect(signatureBase(innerListOf(`a=(${components})`, 'a'), request)).toEqual({ kind });
  });

  test('a signature that covers many keys of a long field takes less than four times as long as one that covers one key', () => {
    const members = Array.from({ length: 60 }, (_, at) => `k${at}=(${'a '.repeat(60)})`);
    const headers = { ...request.headers, 'x-long': members.join() };
    const listCovering = (keys: number) => {
      const covered = Array.from({ length: keys }, (_, at) => `"x-long";key="k${at}"`);
      return innerListOf(`a=("@authority" ${covered.join(' ')} "x-absent")`, 'a');
    };
    // The shortest of many measurements, so that other programs on the processor have no effect.
    const quickestMs = (covered: InnerList) => {
      const times = Array.from({ length: 30 }, () => {
        const startedAt = performance.now();
        expect(signatureBase(covered, { ...request, headers }).kind).toBe('component_missing');
        return performance.now() - startedAt;
      });
      return Math.min(...times);
    };
    expect(quickestMs(listCovering(14))).toBeLessThan(4 * quickestMs(listCovering(1)));
  });
});
