import { describe, expect, test } from 'vitest';
import { chromeHttp, curl, visit } from '../kit/visitors/visitors.ts';
import { bodyOf, serveValidator } from './serve-validator.ts';

describe('2.2 the form of the body: a page for navigations, problem details for programs', () => {
  const BLOCK_ALL = { rules: '[{ name: r, match: {}, verdict: block }]' };
  const fetchFields = (mode: string, dest: string) => ({
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  });

  test.each([
    ['a navigation', fetchFields('navigate', 'document')],
    ['a frame', fetchFields('navigate', 'iframe')],
    ['a document in a frame', fetchFields('navigate', 'object')],
    [
      'a navigation that a service worker passes on',
      { ...fetchFields('navigate', 'empty'), accept: chromeHttp['accept'] ?? '' },
    ],
    ['no header field that names a representation', {}],
    ['anything', { accept: '*/*' }],
    ['HTML of any kind', { accept: 'text/*' }],
    ['a browser over plain http', { accept: chromeHttp['accept'] ?? '' }],
    ['HTML before JSON', { accept: 'text/html, application/json;q=0.9' }],
    ['HTML and JSON with the same weight', { accept: 'application/json, text/html' }],
    ['in upper and lower case', { accept: 'TEXT/HTML;Q=0.9, application/json;q=0.8' }],
  ])('text/html: %s', async (_who, headers) => {
    const { ask } = await serveValidator(BLOCK_ALL);
    const answer = await ask(visit({ headers }));
    expect(answer.headers?.['Content-Type']).toBe('text/html; charset=utf-8');
    expect(bodyOf(answer)).toContain('<!doctype html>');
  });

  test.each([
    ['fetch', fetchFields('cors', 'empty')],
    ['fetch of the same origin', fetchFields('same-origin', 'empty')],
    ['fetch that asks for HTML', { ...fetchFields('cors', 'empty'), accept: 'text/html' }],
    ['a link that downloads a file', fetchFields('navigate', 'empty')],
    ['an image', fetchFields('no-cors', 'image')],
    ['a script', fetchFields('no-cors', 'script')],
    ['a style sheet', fetchFields('no-cors', 'style')],
    ['a WebSocket', fetchFields('websocket', 'empty')],
    ['XHR of older browsers', { 'x-requested-with': 'XMLHttpRequest', accept: '*/*' }],
    ['JSON', { accept: 'application/json' }],
    ['JSON before HTML', { accept: 'application/json, text/html;q=0.1' }],
    ['JSON before anything', { accept: 'application/json, text/plain, */*' }],
    ['problem details', { accept: 'application/problem+json' }],
    ['an image on plain http', { accept: 'image/avif,image/webp,image/*,*/*;q=0.8' }],
    ['a style sheet on plain http', { accept: 'text/css,*/*;q=0.1' }],
    ['everything except HTML', { accept: 'text/html;q=0, */*' }],
    ['no media type', { accept: '*/*;q=0' }],
    ['a weight that is not a number', { accept: 'text/html;q=high, application/json' }],
  ])('application/problem+json (RFC 9457): %s', async (_who, headers) => {
    const { ask, events } = await serveValidator(BLOCK_ALL);
    const answer = await ask(visit({ headers }));
    expect(answer.headers?.['Content-Type']).toBe('application/problem+json');
    // The Cache API of service workers stores no answer with this field (Service Workers, Cache.put).
    expect(answer.headers?.['Vary']).toBe('*');
    expect(JSON.parse(bodyOf(answer))).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      code: 'blocked',
      request_id: answer.request_id,
      reference: events.at(-1)?.reference,
    });
  });

  test('HEAD has the headers of its GET (RFC 9110 9.3.2)', async () => {
    const { ask } = await serveValidator(BLOCK_ALL);
    for (const headers of [{}, { accept: 'application/json' }]) {
      const get = await ask(visit({ headers }));
      const head = await ask(visit({ headers, method: 'HEAD' }));
      expect(head.headers?.['Content-Type']).toBe(get.headers?.['Content-Type']);
      expect(head.status_code).toBe(get.status_code);
    }
  });

  test('the body of each decision has a stable code, and no body has a reason', async () => {
    const limit = '{ requests: 1, per: 1m, by: ip }';
    const cases = [
      ['[{ name: r, match: {}, verdict: block }]', 'blocked'],
      ['[{ name: r, match: {}, challenge: always }]', 'challenge_required'],
      [`[{ name: r, match: {}, rate_limit: ${limit} }]`, 'rate_limited'],
    ] as const;
    for (const [caseRules, code] of cases) {
      const { ask } = await serveValidator({ rules: caseRules });
      const request = visit({ headers: { ...curl, accept: 'application/json' } });
      await ask(request);
      const answer = await ask(request);
      expect(JSON.parse(bodyOf(answer))).toMatchObject({ code, status: answer.status_code });
      for (const reason of answer.block_reasons ?? []) {
        expect(bodyOf(answer)).not.toContain(reason);
      }
    }
  });
});
