import type { IncomingMessage, RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { serve } from '../../../test/kit/serve.ts';
import { loadPages } from './pages/load-pages.ts';

interface Decided {
  status: number;
  headers: Record<string, string>;
  cookies: string[];
  body: Buffer | undefined;
}
type Decide = (request: Partial<IncomingMessage>, ip: string) => Promise<Decided>;

/** Runs the Node example of the page unchanged. The given handler answers in place of the validator. */
async function askExample(validator: RequestListener): Promise<Decided> {
  process.env['GUARD_VALIDATE_URL'] = await serve(validator);
  process.env['GUARD_SECRET_KEY'] = 'sk_test';

  const page = loadPages().find(({ path }) => path === '/validate-api')?.markdown ?? '';
  const source = /```js\n([\s\S]+?)```/.exec(page)?.[1] ?? '';
  // The tests in this file prove this shape.
  const { decide } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
    decide: Decide;
  };
  const headers = { host: 'shop.example', 'user-agent': 'test' };
  return decide({ method: 'GET', url: '/login', headers }, '203.0.113.7');
}

function answer(status: number, body: unknown): RequestListener {
  return (_request, response) => {
    response.statusCode = status;
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
const page = Buffer.from('<p>página</p>').toString('base64');
const cookie = {
  name: '_guard',
  value: 'v',
  path: '/',
  secure: true,
  same_site: 'Lax',
  max_age: 60,
};

test('the example follows contract 2.1', async () => {
  let questionBody: unknown;
  let key: unknown;
  await askExample((request, response) => {
    key = request.headers['x-api-key'];
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      questionBody = JSON.parse(text);
      response.end('{"success":true,"decision":"allow"}');
    });
  });
  expect(key).toBe('sk_test');
  expect(questionBody).toEqual({
    url: 'https://shop.example/login',
    ip: '203.0.113.7',
    method: 'GET',
    headers: { host: 'shop.example', 'user-agent': 'test' },
  });
});

test.each([500, 503, 502])('contract 7.1: the example fails open on %d', async (status) => {
  expect(await askExample(answer(status, { success: false }))).toMatchObject({ body: undefined });
});

test.each([400, 401, 409, 499])('contract 7.1: the example fails closed on %d', async (status) => {
  expect(await askExample(answer(status, 'x'))).toMatchObject({
    status: 403,
    body: Buffer.from('Forbidden'),
  });
});

test('contract 7.1: the example fails open on success: false, an invalid answer, a validator that hangs and a closed connection', async () => {
  for (const validator of [
    answer(200, { success: false }),
    answer(200, 'nonsense'),
    (() => undefined) satisfies RequestListener,
    ((request) => request.socket.destroy()) satisfies RequestListener,
  ]) {
    expect((await askExample(validator)).body).toBeUndefined();
  }
});

test.each(['block', 'redirect'])(
  'contract 4.1: on a %s the example serves the page of the response',
  async (decision) => {
    const result = await askExample(
      answer(200, {
        success: true,
        decision,
        status_code: 451,
        response_html: page,
        headers: { 'Content-Type': 'text/html' },
      }),
    );
    expect(result).toMatchObject({ status: 451, headers: { 'Content-Type': 'text/html' } });
    expect(result.body?.toString()).toBe('<p>página</p>');
  },
);

test('contract 3: a redirect without a page becomes 403 with a short body', async () => {
  const decision = await askExample(answer(200, { success: true, decision: 'redirect' }));
  expect(decision).toMatchObject({ status: 403, body: Buffer.from('Forbidden') });
});

test('contract 4.1: the example serves the body of an allow; when there is no body, or for not_matched, the application answers', async () => {
  const robots = await askExample(
    answer(200, { success: true, decision: 'allow', response_html: page }),
  );
  expect([robots.status, robots.body?.toString()]).toEqual([200, '<p>página</p>']);
  for (const decision of ['allow', 'not_matched']) {
    expect((await askExample(answer(200, { success: true, decision }))).body).toBeUndefined();
  }
});

test('contract 2.3: every attribute of a cookie is kept, and an empty domain gives a host-only cookie', async () => {
  const decision = await askExample(
    answer(200, {
      success: true,
      decision: 'allow',
      cookies: [
        { ...cookie, domain: '' },
        { ...cookie, domain: 'shop.example', secure: false },
      ],
    }),
  );
  expect(decision.cookies).toEqual([
    '_guard=v; Path=/; Max-Age=60; SameSite=Lax; Secure',
    '_guard=v; Path=/; Max-Age=60; SameSite=Lax; Domain=shop.example',
  ]);
});
