import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { type LocalGateway, startGateway } from '../kit/product/gateway.ts';
import { decodeBody } from '../kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type TestValidator, validatorWith } from '../kit/product/validator.ts';
import { doWork } from '../../validator/src/challenge/work/testing/work.ts';
import { writeUpload } from '../../validator/src/challenge/testing/answers.ts';
import { type Challenged, person, taskIn, uploadOf } from './challenged-visitor.ts';

/** A client, named by its kind of connection. It copies the header fields of a browser. */
type Client = 'openssl' | 'another list of ciphers' | 'http';

const CIPHERS: Readonly<Record<Client, string | undefined>> = {
  openssl: undefined,
  'another list of ciphers':
    'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256',
  http: undefined,
};

/** The header fields of the browser, in the order of Chromium. */
const { 'accept-language': language = '', ...others } = person.headers;
const BROWSER_FIELDS: Readonly<Record<string, string>> = {
  ...others,
  'upgrade-insecure-requests': '1',
  accept: 'text/html,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate',
  'accept-language': language,
};

const NAVIGATION_FIELDS = { 'upgrade-insecure-requests': '1', accept: 'text/html' };

let origin: RecordingOrigin;
let guard: TestValidator;
let gateway: LocalGateway;

beforeAll(async () => {
  origin = await startRecordingOrigin();
  guard = validatorWith('[{ name: all, match: {}, detect: true, challenge: always }]');
  const certificate = selfSigned('shop.example');
  gateway = await startGateway(guard, { origin: origin.url, certificate });
});

afterAll(async () => {
  await gateway.close();
  await origin.close();
});

interface Answer {
  readonly status: number;
  readonly session: string;
  readonly body: string;
}

function send(
  client: Client,
  path: string,
  {
    cookie = '',
    body,
    headers: fields = BROWSER_FIELDS,
  }: {
    readonly cookie?: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = `${client === 'http' ? gateway.http : gateway.https}${path}`;
    const headers = {
      ...fields,
      host: 'shop.example',
      ...(cookie !== '' && { cookie: `_guard=${cookie}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const method = body === undefined ? 'GET' : 'POST';
    const ciphers = CIPHERS[client];
    const tls = {
      rejectUnauthorized: false,
      servername: 'shop.example',
      ...(ciphers && { ciphers }),
    };
    const request =
      client === 'http'
        ? overHttp(url, { method, headers })
        : overHttps(url, { method, headers, ...tls, agent: false });
    request.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const session = /_guard=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? '';
        const text = String(decodeBody(answer, chunks));
        resolve({ status: answer.statusCode ?? 0, session, body: text });
      });
    });
    request.on('error', reject).end(body);
  });
}

/** Answers a ticket. A client over TLS has to do work, because its TLS library is not that of the browser. */
async function answerAs(client: Client, page: Pick<Challenged, 'ticket' | 'session'>) {
  const upload = uploadOf({ ...page, reference: '' }, person);
  const taskAnswer = await send(client, '/.guard/verify', { body: writeUpload(upload) });
  const needsWork = client !== 'http';
  expect(taskAnswer.body).toMatch(
    needsWork ? /^\{"result":"work","task":"5\./ : /^\{"result":"reload"\}$/,
  );
  if (!needsWork) return;
  const uploadWithWork = { ...upload, work: doWork(taskIn(taskAnswer)) };
  const answer = await send(client, '/.guard/verify', { body: writeUpload(uploadWithWork) });
  expect(answer.body).toBe('{"result":"reload"}');
}

/**
 * Passes the challenge as this client, and returns its session. `fields` are additional header fields of the request
 * for the page.
 */
async function passAs(
  client: Client,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { body, session } = await send(client, '/', { headers: { ...BROWSER_FIELDS, ...fields } });
  const ticket = /data-ticket="([^"]+)"/.exec(body)?.[1] ?? '';
  await answerAs(client, { ticket, session });
  return session;
}

const CLIENTS = Object.keys(CIPHERS) as Client[];

test('a ticket that one client gets and another client answers gives no session', async () => {
  const { body, session } = await send('http', '/');
  const ticket = /data-ticket="([^"]+)"/.exec(body)?.[1] ?? '';
  const upload = writeUpload(uploadOf({ ticket, session, reference: '' }, person));
  for (const otherClient of CLIENTS.filter((client) => client !== 'http')) {
    const answer = await send(otherClient, '/.guard/verify', { body: upload });
    expect([otherClient, answer.body]).toEqual([otherClient, '{"result":"retry"}']);
    expect(guard.events.at(-1)?.blockReasons).toEqual(['witness_mismatch']);
  }
  // The client that got the ticket can still answer it.
  await answerAs('http', { ticket, session });
});

test('a file of the challenge page is served only to the client that got the page', async () => {
  const { body } = await send('openssl', '/');
  const [file = ''] = /\/\.guard\/witness\?[0-9a-f]{36}/.exec(body) ?? [];
  expect((await send('another list of ciphers', file)).status).toBe(404);
  expect((await send('http', file)).status).toBe(404);
  expect((await send('openssl', file)).status).toBe(200);
});

test('an upload with the header fields of an HTTP library is doubtful, even if the page was requested with the header fields of a browser', async () => {
  const { body, session } = await send('http', '/');
  const ticket = /data-ticket="([^"]+)"/.exec(body)?.[1] ?? '';
  const upload = writeUpload(uploadOf({ ticket, session, reference: '' }, person));
  const { 'user-agent': agent = '' } = BROWSER_FIELDS;
  const answer = await send('http', '/.guard/verify', {
    body: upload,
    headers: { 'user-agent': agent, accept: '*/*' },
  });
  expect(answer.body).toMatch(/"result":"doubt"/);
  expect(guard.events.at(-1)?.blockReasons).toEqual(['header_missing']);
});

test.each(CLIENTS.filter((client) => client !== 'http'))(
  'a pass that was made with %s is valid for the same client only',
  async (maker) => {
    const cookie = await passAs(maker);
    for (const user of CLIENTS) {
      const { status } = await send(user, '/page', { cookie });
      expect([user, status]).toEqual([user, user === maker ? 200 : 403]);
      const { action, blockReasons, challenge } = guard.events.at(-1) ?? {};
      if (user === maker) expect([action, challenge]).toEqual(['allow', 'verified']);
      else expect(blockReasons).toContain('session_of_another');
    }
    // The attempts of the other clients have no effect on the client that passed.
    expect((await send(maker, '/page', { cookie })).status).toBe(200);
  },
);

test('a pass that was made over http is valid over http only, for clients with the same form of header section', async () => {
  const cookie = await passAs('http');
  for (const user of CLIENTS) {
    const { status } = await send(user, '/page', { cookie });
    expect([user, status]).toEqual([user, user === 'http' ? 200 : 403]);
  }
  const { 'accept-encoding': encoding = '' } = BROWSER_FIELDS;
  // Header fields of programs with the User-Agent and the cookie of the browser. The last program copies all fields,
  // and passes.
  for (const [fields, expected] of [
    [{ accept: '*/*' }, 403],
    [{ accept: '*/*', via: '1.1 proxy' }, 403],
    [{ accept: '*/*', 'accept-encoding': encoding }, 403],
    [{ ...NAVIGATION_FIELDS, 'accept-language': language, 'accept-encoding': encoding }, 403],
    [{ ...NAVIGATION_FIELDS, 'accept-encoding': encoding, 'accept-language': language }, 200],
  ] as const) {
    const headers = { 'user-agent': BROWSER_FIELDS['user-agent'] ?? '', ...fields };
    const { status } = await send('http', '/page', { cookie, headers });
    expect([fields, status]).toEqual([fields, expected]);
  }
  expect((await send('http', '/page', { cookie })).status).toBe(200);
});

const PROXY_FIELDS = {
  via: '1.1 proxy',
  'x-forwarded-for': '198.51.100.7',
  forwarded: 'for=198.51.100.7',
  'x-forwarded-proto': 'https',
  'x-real-ip': '198.51.100.7',
  'cdn-loop': 'cdn',
  'x-amzn-trace-id': 'Root=1-67891233-abcdef012345678912345678',
};

test.each(['http', 'openssl'] as const)(
  'a pass that was made over %s with the header fields of proxies is valid with and without each of these fields',
  async (client) => {
    const cookie = await passAs(client, PROXY_FIELDS);
    const agent = { 'user-agent': BROWSER_FIELDS['user-agent'] ?? '' };
    const visit = async (headers: Readonly<Record<string, string>>, expected: number) => {
      const { status } = await send(client, '/page', { cookie, headers });
      expect([headers, status]).toEqual([headers, expected]);
    };
    for (const [name, value] of Object.entries(PROXY_FIELDS)) {
      await visit({ ...agent, accept: '*/*', [name]: value }, 403);
      await visit({ ...agent, ...NAVIGATION_FIELDS, [name]: value }, 403);
      // The proxy of a company adds the field to each request. The visitor can also connect without the proxy.
      await visit({ ...BROWSER_FIELDS, [name]: value }, 200);
    }
    await visit({ ...agent, accept: '*/*' }, 403);
    await visit(BROWSER_FIELDS, 200);
  },
);

test('another client can pass with the same session, and then the first client has to pass again', async () => {
  const otherCiphers = 'another list of ciphers';
  const cookie = await passAs('http');
  guard.time.now += 1_000;
  const { body } = await send(otherCiphers, '/page', { cookie });
  const ticket = /data-ticket="([^"]+)"/.exec(body)?.[1] ?? '';
  await answerAs(otherCiphers, { ticket, session: cookie });
  expect((await send(otherCiphers, '/page', { cookie })).status).toBe(200);
  expect((await send('http', '/page', { cookie })).status).toBe(403);
});

test('one pass gives 600 pages, over any number of connections', async () => {
  const cookie = await passAs('http');
  const countBefore = origin.arrivals.length;
  // Requests without a referrer would be challenged earlier, for the shape of the session.
  const headers = { ...BROWSER_FIELDS, referer: 'https://shop.example/products' };
  const answers = await Promise.all(
    Array.from({ length: 700 }, (_, i) => send('http', `/products/${i}`, { cookie, headers })),
  );
  const pageCount = answers.filter(({ status }) => status === 200).length;
  expect(pageCount).toBeLessThanOrEqual(600);
  expect(pageCount).toBeGreaterThan(590);
  expect(origin.arrivals.length - countBefore).toBe(pageCount);
});
