import { describe, expect, test } from 'vitest';
import { googlebot, GOOGLEBOT_IP, visit } from '../kit/visitors/visitors.ts';
import { serveValidator } from './serve-validator.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('2.3 the cookie object with all attributes', () => {
  test('_guard: opaque value, host-only ("empty string"), Path, Secure, SameSite, Max-Age', async () => {
    const { cookies } = await (await serveValidator()).ask(visit());
    expect(cookies).toEqual([
      {
        name: '_guard',
        value: expect.stringMatching(UUID) as unknown,
        domain: '',
        path: '/',
        secure: true,
        same_site: 'None',
        max_age: 30 * 86_400,
      },
    ]);
  });

  test('on plain http the cookie is not Secure, because the browser would drop a Secure cookie', async () => {
    const { ask } = await serveValidator();
    const answer = await ask(visit({ url: 'http://shop.example/' }));
    // Browsers refuse SameSite=None without Secure.
    expect(answer.cookies).toMatchObject([{ secure: false, same_site: 'Lax' }]);
  });
});

describe('2.2 "_guard is sent when the request did not present the current session"', () => {
  test('any decision can carry it', async () => {
    for (const directive of ['verdict: allow', 'verdict: block', 'challenge: always']) {
      const { ask } = await serveValidator({ rules: `[{ name: r, match: {}, ${directive} }]` });
      const first = await ask(visit());
      expect(first.cookies, directive).toMatchObject([{ name: '_guard' }]);
      const cookie = first.cookies?.[0]?.value ?? '';
      expect(await ask(visit({ cookie })), directive).not.toHaveProperty('cookies');
    }
  });

  test('two visitors get two sessions', async () => {
    const { ask } = await serveValidator();
    const [first, second] = [await ask(visit()), await ask(visit())];
    expect(first.cookies?.[0]?.value).not.toBe(second.cookies?.[0]?.value);
  });

  test('"never to a matched crawler", verified or not, blocked or not', async () => {
    for (const rules of ['[]', '[{ name: r, match: {}, detect: true, challenge: always }]']) {
      const { ask } = await serveValidator({ rules });
      for (const ip of [GOOGLEBOT_IP, '192.0.2.1']) {
        expect(await ask(visit({ headers: googlebot, ip }))).not.toHaveProperty('cookies');
      }
    }
  });
});
