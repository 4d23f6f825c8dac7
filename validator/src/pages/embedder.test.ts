import { expect, test } from 'vitest';
import { detectingValidator } from '../../../test/kit/product/decisions.ts';
import { chromeHttps, visit } from '../../../test/kit/visitors/visitors.ts';

/** The tests check which pages can show the challenge in a frame. */

const FRAME = {
  ...chromeHttps,
  'sec-fetch-dest': 'iframe',
  'sec-fetch-site': 'same-site',
  referer: 'https://app.shop.example/',
};

async function headersFor(headers: Readonly<Record<string, string>>) {
  const guard = detectingValidator({}, '[{ name: all, match: {}, challenge: always }]');
  return (await guard.ask(visit({ headers }))).headers ?? {};
}

async function ancestorsFor(headers: Readonly<Record<string, string>>): Promise<string> {
  const policy = (await headersFor(headers))['Content-Security-Policy'] ?? '';
  return /frame-ancestors ([^;]*)/.exec(policy)?.[1] ?? 'no policy';
}

test('a page of another host of the same site can show the challenge in a frame, for example to renew a sign-in', async () => {
  expect(await ancestorsFor(FRAME)).toBe("'self' https://app.shop.example");
  const withPort = { ...FRAME, referer: 'https://App.shop.example:8443/a?b=c' };
  expect(await ancestorsFor(withPort)).toBe("'self' https://app.shop.example:8443");
});

test.each([
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a tab', { 'sec-fetch-dest': 'document' }],
  ['a page that does not send its origin', { referer: '' }],
  ['a host name that would change the policy', { referer: "https://a;script-src 'none'/" }],
  ['a host name that contains two sources', { referer: 'https://a,b.example/' }],
])(
  'only pages of the site’s own host can show the challenge in a frame, and not %s',
  async (_name, changes) => {
    expect(await ancestorsFor({ ...FRAME, ...changes })).toBe("'self'");
  },
);

test('a page with a Cross-Origin-Embedder-Policy can show the challenge in its frames, and a challenge in a tab has no such policy', async () => {
  const expectedHeaders = {
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'same-site',
  };
  for (const site of ['same-origin', 'same-site']) {
    expect(await headersFor({ ...FRAME, 'sec-fetch-site': site })).toMatchObject(expectedHeaders);
  }
  for (const name of Object.keys(expectedHeaders))
    expect(await headersFor(chromeHttps)).not.toHaveProperty(name);
});
