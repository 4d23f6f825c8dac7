import { expect, test } from 'vitest';
import { validateWith, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { get, rawExchange, statusOf } from '../testing/raw-client.ts';

test.each([
  { path: '/admin', status: 403 },
  { path: '/admin/x?y', status: 403 },
  { path: '/public', status: 200 },
  { path: '/', status: 200 },
  { path: '/%61dmin', status: 403 },
  { path: '/public/../admin', status: 403 },
  { path: '/public/%2e%2e/admin', status: 403 },
  { path: '//admin', status: 403 },
  { path: '/public\\..\\admin', status: 403 },
  { path: '/admin;v=1/x', status: 403 },
  // By default Express serves these paths as /admin.
  { path: '/ADMIN/x', status: 403 },
  { path: '/Admin/', status: 403 },
  { path: '/admin/Assets/a.css', status: 403 },
  // PHP serves this path as /admin/x (PATH_INFO).
  { path: '/index.php/admin/x', status: 403 },
  { path: '/admin/assets/a.css', status: 200 },
  { path: '/admin/assets/../secret', status: 403 },
  { path: '/admin/assets/%2e%2e/secret', status: 403 },
  { path: '/admin/assets/..%2fsecret', status: 403 },
  { path: '/admin/assets/..;/secret', status: 403 },
  { path: '//x/admin/assets/a.css', status: 403 },
  // The gateway refuses these paths before it asks the validator.
  { path: `/public${'/%2e'.repeat(3_000)}`, status: 400 },
  { path: '//a'.repeat(5_000), status: 400 },
])(
  'contract 4.1 rule 1: protect [/admin/**] skip [/admin/assets/**] and $path → $status',
  async ({ path, status }) => {
    const { port, questions, origin } = await startGatewayWithOrigin({
      protect: ['/admin/**'],
      skip: ['/admin/assets/**'],
      validate: validateWith({ decision: 'block' }),
    });
    expect(statusOf(await get(port, path))).toBe(status);
    expect(origin.requests).toHaveLength(status === 200 ? 1 : 0);
    expect(questions).toHaveLength(status === 403 ? 1 : 0);
  },
);

test.each([
  ['/wp-login.php/x.css', 1],
  ['/style.css', 0],
  ['/index.php/x.css', 0],
])('skip [/**/*.css] and %s: %i questions to the validator', async (path, expected) => {
  const { port, questions } = await startGatewayWithOrigin({
    skip: ['/**/*.css'],
    validate: validateWith({ decision: 'allow' }),
  });
  expect(statusOf(await get(port, path))).toBe(200);
  expect(questions).toHaveLength(expected);
});

// Rails answers `POST /login.json` as `POST /login`.
test.each([
  ['POST', '/login.json', 1],
  ['POST', '/index.php/login.x', 1],
  ['POST', '/login.d/x', 0],
  ['GET', '/login.json', 0],
])('protect [/login] and %s %s: %i questions to the validator', async (method, path, expected) => {
  const { port, questions } = await startGatewayWithOrigin({
    protect: ['/login'],
    validate: validateWith({ decision: 'allow' }),
  });
  const answer = await rawExchange(
    port,
    `${method} ${path} HTTP/1.1`,
    'Host: shop.example',
    'Connection: close',
    'Content-Length: 0',
    '',
    '',
  );
  expect(statusOf(answer)).toBe(200);
  expect(questions).toHaveLength(expected);
});
