import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startShop } from './shop.ts';
import type { Shop } from './shop.ts';

async function openShop(): Promise<Shop> {
  const shop = await startShop({ eventEveryMs: 20 });
  onTestFinished(() => shop.close());
  return shop;
}

function post(url: string, fields: Record<string, string>, cookie = ''): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(url, { method: 'POST', body, headers: { cookie }, redirect: 'manual' });
}

const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

test('the home page shows every product, and everything it links to is there, or is the gateway’s', async () => {
  const { url } = await openShop();
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

test('the key of Guard’s script is the one that the demo’s settings give the shop', async () => {
  const { url } = await openShop();
  const key = /site_key=(\w+)/.exec(await (await fetch(url)).text())?.[1] ?? 'none';
  const settings = readFileSync(new URL('guard.yaml', import.meta.url), 'utf8');
  expect(settings).toContain(`site_key: ${key}\n`);
});

test('the product list is JSON, and every product has its page', async () => {
  const { url } = await openShop();
  const response = await fetch(`${url}/api/products`);
  expect(response.headers.get('content-type')).toBe('application/json');
  const { products } = (await response.json()) as { products: { id: string; name: string }[] };
  expect(products).toHaveLength(6);
  for (const { id, name } of products) {
    expect(await (await fetch(`${url}/product/${id}`)).text()).toContain(`<h1>${name}</h1>`);
  }
});

test('the right name and password log in, and the cart comes along under a new session', async () => {
  const { url } = await openShop();
  const added = await post(`${url}/cart`, { product: 'moon-jar' });
  expect([added.status, added.headers.get('location')]).toEqual([303, '/cart']);
  const before = cookieOf(added);
  const login = await post(`${url}/login`, { username: 'demo', password: 'demo' }, before);
  expect([login.status, login.headers.get('location')]).toEqual([303, '/']);
  const cookie = cookieOf(login);
  expect(cookie).not.toBe(before);

  const cart = await (await fetch(`${url}/cart`, { headers: { cookie } })).text();
  expect(cart).toContain('Hello, demo');
  expect(cart).toContain('<td>Moon jar</td><td>1</td><td>€120.00</td>');
  const former = await (await fetch(`${url}/cart`, { headers: { cookie: before } })).text();
  expect(former).not.toContain('Hello, demo');
});

test('a wrong password is 401 with the form, and sets no cookie', async () => {
  const { url } = await openShop();
  const response = await post(`${url}/login`, { username: 'demo', password: '<b>' });
  expect([response.status, response.headers.get('set-cookie')]).toEqual([401, null]);
  const page = await response.text();
  expect(page).toContain('role="alert"');
  expect(page).not.toContain('<b></p>');
});

test('the cart takes a product again and again, and no unknown one', async () => {
  const { url } = await openShop();
  const cookie = cookieOf(await post(`${url}/cart`, { product: 'soup-bowl' }));
  await post(`${url}/cart`, { product: 'soup-bowl' }, cookie);
  const cart = await (await fetch(`${url}/cart`, { headers: { cookie } })).text();
  expect(cart).toContain('<td>Soup bowl</td><td>2</td><td>€64.00</td>');
  expect((await post(`${url}/cart`, { product: 'spaceship' })).status).toBe(400);
});

test('a form above 8 KiB is 413', async () => {
  const { url } = await openShop();
  expect((await post(`${url}/login`, { username: 'x'.repeat(9000) })).status).toBe(413);
});

test('an upload is streamed, counted and hashed, with a length and without', async () => {
  const { url } = await openShop();
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

test('a multipart upload is counted as it came', async () => {
  const { url } = await openShop();
  const form = new FormData();
  form.append('file', new Blob(['shards']), 'shards.txt');
  const response = await fetch(`${url}/upload`, { method: 'POST', body: form });
  const answer = (await response.json()) as { bytes: number; content_type: string };
  expect(answer.content_type).toMatch(/^multipart\/form-data/);
  expect(answer.bytes).toBeGreaterThan('shards'.length);
});

test('/events goes on sending one event after the other', async () => {
  const { url } = await openShop();
  const response = await fetch(`${url}/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if ((text.match(/^event: tick$/gm)?.length ?? 0) >= 3) break;
  }
  expect(text).toMatch(/^id: \d+\nevent: tick\ndata: \{"visitors":1\}\n\n/m);
});

test('/ws sends every message back as it came, text and binary, and refuses other paths', async () => {
  const { url } = await openShop();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
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

test('a WebSocket message that is too long ends its connection and not the shop', async () => {
  const { url } = await openShop();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  socket.send('x'.repeat(70_000));
  await once(socket, 'close');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('/whoami shows the x-guard headers as text', async () => {
  const { url } = await openShop();
  const headers = { 'x-guard-decision': 'allow', 'x-guard-reason': '<script>' };
  const page = await (await fetch(`${url}/whoami`, { headers })).text();
  expect(page).toContain('<code>x-guard-decision</code></td><td><code>allow</code>');
  expect(page).toContain('<code>&lt;script&gt;</code>');
});

test('what is not there is 404, and a wrong method is 405 with Allow', async () => {
  const { url } = await openShop();
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  const wrong = await fetch(`${url}/login`, { method: 'DELETE' });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST']);
});

test('the shop remembers the last 1,000 requests for who started it', async () => {
  const shop = await openShop();
  await fetch(`${shop.url}/healthz?first`);
  expect(shop.requests).toMatchObject([
    { method: 'GET', url: '/healthz?first', headers: { host: new URL(shop.url).host } },
  ]);
  for (let count = 0; count < 1000; count += 1) await (await fetch(`${shop.url}/healthz`)).text();
  expect(shop.requests).toHaveLength(1000);
  expect(shop.requests[0]?.url).toBe('/healthz');
});

test('the shop closes while streams and sockets are open', async () => {
  const shop = await startShop();
  const stream = await fetch(`${shop.url}/events`);
  const socket = new WebSocket(`${shop.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await shop.close();
  await closed;
  await stream.text().catch(() => undefined);
  await expect(fetch(shop.url)).rejects.toThrow();
});
