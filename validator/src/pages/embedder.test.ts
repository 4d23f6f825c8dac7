import { expect, test } from 'vitest';
import { detectingValidator } from '../../../test/kit/decisions.ts';
import { chromeHttps, visit } from '../../../test/kit/visitors.ts';

/** Which pages may show the challenge in a frame. */

const FRAME = {
  ...chromeHttps,
  'sec-fetch-dest': 'iframe',
  'sec-fetch-site': 'same-site',
  referer: 'https://app.shop.example/',
};

async function ancestorsFor(headers: Readonly<Record<string, string>>): Promise<string> {
  const guard = detectingValidator({}, '[{ name: all, match: {}, challenge: always }]');
  const answered = await guard.ask(visit({ headers }));
  const policy = answered.headers?.['Content-Security-Policy'] ?? '';
  return /frame-ancestors ([^;]*)/.exec(policy)?.[1] ?? 'no policy';
}

test('a page of another host of the same site may: its frame renews a sign-in, for example', async () => {
  expect(await ancestorsFor(FRAME)).toBe("'self' https://app.shop.example");
  const withPort = { ...FRAME, referer: 'https://App.shop.example:8443/a?b=c' };
  expect(await ancestorsFor(withPort)).toBe("'self' https://app.shop.example:8443");
});

test.each([
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a tab', { 'sec-fetch-dest': 'document' }],
  ['a page that does not say its origin', { referer: '' }],
  ['a name that would change the policy', { referer: "https://a;script-src 'none'/" }],
  ['two sources in one', { referer: 'https://a,b.example/' }],
])('only pages of the own host may: %s', async (_name, over) => {
  expect(await ancestorsFor({ ...FRAME, ...over })).toBe("'self'");
});
