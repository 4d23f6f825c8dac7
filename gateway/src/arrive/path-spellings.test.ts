import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { validateWith, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { FrameClient, headersFrame } from '../testing/http2-client.ts';
import { waitUntil, get, statusOf } from '../testing/raw-client.ts';

/** Spellings of `/admin/x` with which a visitor tries to evade the rules. */
const SPELLINGS = [
  '//admin/x', '/./admin/x', '/public/./../admin/x', '/%2e/admin/x', '/public/%2e%2e/admin/x', '/public/.%2E/admin/x',
  '/public%2f..%2fadmin/x', '/%2fadmin/x', '/admin%2fx', '/admin;x/x', '/public/..;/admin/x', '/public/..;a=b/admin/x',
  '/public\\..\\admin\\x', '/public%5c..%5cadmin%5cx', '/\\admin/x', '/admin%00/x', '/admin/x%00.png', '/%61dmin/x',
  '/%2561dmin/x', '/public/%252e%252e/admin/x', '/public/%252e%252e%252fadmin/x', '/admin%3bx/x', '/ADMIN/x',
  '//x/admin/x', '///x/admin/x', '/\\x/admin/x', '//x:y@z/admin/x', '/%2fx/admin/x', '/admin./x', '/admin%20/x', '/admin%09/x', '/%EF%BD%81dmin/x',
  '/public/.%00./admin/x', '/public%2fx/../.%2fadmin/x', '/public%2fx//../%2fadmin/x', '/%2fadmin//../x/',
] as const; // prettier-ignore

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('over %s', (protocol) => {
  async function statusesOf(sites: { protect: readonly string[]; skip: readonly string[] }) {
    const { origin, ...rig } = await startGatewayWithOrigin({
      ...sites,
      certificates,
      validate: validateWith({ decision: 'block' }),
    });
    for (const path of SPELLINGS) {
      if (protocol === 'HTTP/1.1') expect(statusOf(await get(rig.port, path)), path).toBe(403);
    }
    if (protocol === 'HTTP/2') {
      const client = new FrameClient(rig.tlsPort);
      const requestBefore = [
        [':method', 'GET'],
        [':scheme', 'https'],
        [':authority', 'shop.example'],
      ] as const;
      client.send(
        ...SPELLINGS.map((path, i) => headersFrame(2 * i + 1, [...requestBefore, [':path', path]])),
      );
      await waitUntil(
        () => rig.counterValue('guard_gateway_requests_total', 'served') === SPELLINGS.length,
      );
    }
    return {
      questionPaths: rig.questions.map(({ url }) => url.slice(url.indexOf('/', 8))),
      origin,
    };
  }

  test('no spelling evades protect', async () => {
    const { questionPaths, origin } = await statusesOf({ protect: ['/admin/**'], skip: [] });
    expect(questionPaths.toSorted()).toEqual(SPELLINGS.toSorted());
    expect(origin.requests).toEqual([]);
  });

  test('no spelling of a protected path is skipped', async () => {
    const skip = ['/public/**', '/*.png', '/admin/*.png', '/%*/**'];
    const { questionPaths, origin } = await statusesOf({ protect: ['/**'], skip });
    expect(questionPaths.toSorted()).toEqual(SPELLINGS.toSorted());
    expect(origin.requests).toEqual([]);
  });
});

test('a router that takes `;` for the beginning of the query does not evade protect or skip', async () => {
  const paths = [
    '/login;/x',
    '/login;/x.css',
    '/%6cogin;/x.css',
    '/a/../login;/x.css',
    '/a\\..\\login;/x.css',
  ];
  for (const sites of [{ protect: ['/login'] }, { protect: ['/**'], skip: ['/**/*.css'] }]) {
    const { origin, port } = await startGatewayWithOrigin({
      ...sites,
      certificates,
      validate: validateWith({ decision: 'block' }),
    });
    for (const path of paths) expect(statusOf(await get(port, path)), path).toBe(403);
    expect(origin.requests).toEqual([]);
  }
});
