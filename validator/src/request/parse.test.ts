import { describe, expect, test } from 'vitest';
import { parseValidateBody } from './parse.ts';

const good = { url: 'https://shop.example/', ip: '192.0.2.1' };

describe('the validate request (spec 2.1)', () => {
  test('url and ip are enough', () => {
    expect(parseValidateBody(JSON.stringify(good))).toEqual({ kind: 'request', request: good });
  });

  test('fields that are not in the contract are ignored', () => {
    const parsed = parseValidateBody(JSON.stringify({ ...good, later: 1 }));
    expect(parsed).toEqual({ kind: 'request', request: good });
  });

  test.each([
    ['', 'invalid_request'],
    ['nonsense', 'invalid_request'],
    ['{"url":', 'invalid_request'],
    ['null', 'invalid_request'],
    ['[]', 'invalid_request'],
    ['"text"', 'invalid_request'],
    ['{}', 'missing_fields'],
    ['{"url":"https://a.example/"}', 'missing_fields'],
    ['{"ip":"192.0.2.1"}', 'missing_fields'],
    ['{"url":null,"ip":"192.0.2.1"}', 'missing_fields'],
    ['{"url":"","ip":"192.0.2.1"}', 'missing_fields'],
    ['{"url":1,"ip":"192.0.2.1"}', 'invalid_request'],
    ['{"url":"https://a.example/","ip":["192.0.2.1"]}', 'invalid_ip'],
    ['{"url":"https://a.example/","ip":"192.0.2.1","headers":[]}', 'invalid_request'],
    ['{"url":"https://a.example/","ip":"192.0.2.1","headers":{"a":1}}', 'invalid_request'],
    ['{"url":"https://a.example/","ip":"192.0.2.1","method":7}', 'invalid_request'],
  ])('%s is answered %s (spec 7.1)', (body, type) => {
    expect(parseValidateBody(body)).toMatchObject({ kind: 'error', type });
  });

  test('an error names the field and repeats no value', () => {
    const secret = 'sk_do_not_repeat_me';
    const bodies = [
      { ...good, method: secret.repeat(10) },
      { ...good, headers: { [secret]: 1 } },
      { ip: secret },
      { url: secret.repeat(2000), ip: secret },
    ];
    for (const body of bodies) {
      expect(JSON.stringify(parseValidateBody(JSON.stringify(body)))).not.toContain(secret);
    }
  });

  test('more than 256 headers, or a longer URL than allowed, is invalid_request', () => {
    const headers = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`h${i}`, '']));
    expect(parseValidateBody(JSON.stringify({ ...good, headers }))).toMatchObject({
      type: 'invalid_request',
    });
    const url = `https://a.example/${'a'.repeat(16 * 1024)}`;
    expect(parseValidateBody(JSON.stringify({ ...good, url }))).toMatchObject({
      type: 'invalid_request',
    });
  });
});
