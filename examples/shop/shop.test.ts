import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startShop } from './shop.ts';

const shop = await startShop({ eventEveryMs: 20 });
const { url } = shop;
afterAll(() => shop.close());

function post(path: string, fields: Record<string, string>, cookie = ''): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(url + path, { method: 'POST', body, headers: { cookie }, redirect: 'manual' });
}

async function openSocket(at: string): Promise<WebSocket> {
  const socket = new WebSocket(`${at.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  return socket;
}

const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

test('the home page shows every product, and every link leads to a page of the shop or to the gateway', async () => {
  const home = await (await fetch(url)).text();
  const links = [...home.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(links).toContain('/product/tall-vase');
  const guards = (path: string) => path.startsWith('/.guard/');
  expect(links.filter(guards)).toEqual(['/.guard/script.js?site_key=site_demo']);
  for (const path of new Set(links.filter((link) => !guards(link)))) {
    expect(path).toMatch(/^\//);
    const response = await fetch(url + path);
    expect([path, response.status]).toEqual([path, 200]);
    await response.text();
  }
});

test('the key of Guard’s script is the site key in the demo’s settings', async () => {
  const key = /site_key=(\w+)/.exec(await (await fetch(url)).text())?.[1] ?? 'none';
  const settings = readFileSync(new URL('guard.yaml', import.meta.url), 'utf8');
  expect(settings).toContain(`site_key: ${key}\n`);
});

test('the product list is JSON, and every product has its page', async () => {
  const response = await fetch(`${url}/api/products`);
  expect(response.headers.get('content-type')).toBe('application/json');
  const { products } = (await response.json()) as { products: { id: string; name: string }[] };
  expect(products).toHaveLength(6);
  for (const { id, name } of products) {
    expect(await (await fetch(`${url}/product/${id}`)).text()).toContain(`<h1>${name}</h1>`);
  }
});

test('the right name and password log in, and the new session gets the cart', async () => {
  const added = await post('/cart', { product: 'moon-jar' });
  expect([added.status, added.headers.get('location')]).toEqual([303, '/cart']);
  const before = cookieOf(added);
  const login = await post('/login', { username: 'demo', password: 'demo' }, before);
  expect([login.status, login.headers.get('location')]).toEqual([303, '/']);
  const cookie = cookieOf(login);
  expect(cookie).not.toBe(before);

  const cart = await (await fetch(`${url}/cart`, { headers: { cookie } })).text();
  expect(cart).toContain('Hello, demo');
  expect(cart).toContain('<td>Moon jar</td><td>1</td><td>€120.00</td>');
  const former = await (await fetch(`${url}/cart`, { headers: { cookie: before } })).text();
  expect(former).not.toContain('Hello, demo');
});

test('a wrong password gets 401 with the form, and no cookie', async () => {
  const response = await post('/login', { username: 'demo', password: '<b>' });
  expect([response.status, response.headers.get('set-cookie')]).toEqual([401, null]);
  const page = await response.text();
  expect(page).toContain('role="alert"');
  expect(page).not.toContain('<b></p>');
});

test('the cart accepts a product several times, and refuses an unknown product', async () => {
  const cookie = cookieOf(await post('/cart', { product: 'soup-bowl' }));
  await post('/cart', { product: 'soup-bowl' }, cookie);
  const cart = await (await fetch(`${url}/cart`, { headers: { cookie } })).text();
  expect(cart).toContain('<td>Soup bowl</td><td>2</td><td>€64.00</td>');
  expect((await post('/cart', { product: 'spaceship' })).status).toBe(400);
});

test('a form above 8 KiB gets 413', async () => {
  expect((await post('/login', { username: 'x'.repeat(9000) })).status).toBe(413);
});

test('an upload is streamed, counted and hashed, with and without a length', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'clay');
  const whole = Buffer.concat(Array.from({ length: 40 }, () => chunk));
  const expected = {
    bytes: whole.length,
    sha256: createHash('sha256').update(whole).digest('hex'),
    content_type: 'application/octet-stream',
  };
  const headers = { 'content-type': 'application/octet-stream' };
  const sized = await fetch(`${url}/upload`, { method: 'POST', body: whole, headers });
  expect(await sized.json()).toEqual(expected);
  const body = ReadableStream.from(Array.from({ length: 40 }, () => chunk));
  const chunked = await fetch(`${url}/upload`, { method: 'POST', body, headers, duplex: 'half' });
  expect(await chunked.json()).toEqual(expected);
});

test('a multipart upload is counted with its boundaries', async () => {
  const form = new FormData();
  form.append('file', new Blob(['shards']), 'shards.txt');
  const response = await fetch(`${url}/upload`, { method: 'POST', body: form });
  const answer = (await response.json()) as { bytes: number; content_type: string };
  expect(answer.content_type).toMatch(/^multipart\/form-data/);
  expect(answer.bytes).toBeGreaterThan('shards'.length);
});

test('/events sends one event after the other', async () => {
  const response = await fetch(`${url}/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if ((text.match(/^event: tick$/gm)?.length ?? 0) >= 3) break;
  }
  expect(text).toMatch(/^id: \d+\nevent: tick\ndata: \{"visitors":1\}\n\n/m);
});

test('/ws sends every message back unchanged, text and binary, and refuses other paths', async () => {
  const socket = await openSocket(url);
  for (const message of ['hello', Buffer.from([0, 255, 1])]) {
    socket.send(message);
    const [data, binary] = (await once(socket, 'message')) as [Buffer, boolean];
    expect([data, binary]).toEqual([Buffer.from(message), typeof message !== 'string']);
  }
  socket.close();
  await once(socket, 'close');

  const elsewhere = new WebSocket(`${url.replace('http', 'ws')}/other`);
  const [error] = (await once(elsewhere, 'error')) as [Error];
  expect(error.message).toContain('404');
});

test('a WebSocket message that is too long ends its connection, and not the shop', async () => {
  const socket = await openSocket(url);
  socket.send('x'.repeat(70_000));
  await once(socket, 'close');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('/whoami shows the x-guard header fields as text', async () => {
  const headers = { 'x-guard-decision': 'allow', 'x-guard-reason': '<script>' };
  const page = await (await fetch(`${url}/whoami`, { headers })).text();
  expect(page).toContain('<code>x-guard-decision</code></td><td><code>allow</code>');
  expect(page).toContain('<code>&lt;script&gt;</code>');
});

test('an unknown path gets 404, and a wrong method gets 405 with Allow', async () => {
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  const wrong = await fetch(`${url}/login`, { method: 'DELETE' });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST']);
});

test('the shop gives its last 1,000 requests to the program that started it', async () => {
  await fetch(`${url}/healthz?first`);
  expect(shop.requests.at(-1)).toMatchObject({
    method: 'GET',
    url: '/healthz?first',
    headers: { host: new URL(url).host },
  });
  for (let count = 0; count < 1000; count += 1) await (await fetch(`${url}/healthz`)).text();
  expect(shop.requests).toHaveLength(1000);
  expect(shop.requests[0]?.url).toBe('/healthz');
});

test('the shop closes while streams and sockets are open', async () => {
  const other = await startShop();
  const stream = await fetch(`${other.url}/events`);
  const socket = await openSocket(other.url);
  const closed = once(socket, 'close');
  await other.close();
  await closed;
  await stream.text().catch(() => undefined);
  await expect(fetch(other.url)).rejects.toThrow();
});
