import { describe, expect, test } from 'vitest';
import { type RigOptions, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { rawExchange, statusOf } from '../testing/raw-client.ts';
import { selfSigned } from '../testing/self-signed.ts';

const certificates = [selfSigned('shop.example', '*.shop.example')];
const HOSTS = ['shop.example', 'bare.example', '*.shop.example', '127.0.0.1'];

async function start(options: Partial<RigOptions> = {}) {
  const { origin, ...rig } = await startGatewayWithOrigin({
    hosts: HOSTS,
    certificates,
    redirectHttps: true,
    ...options,
  });
  const ask = async (line: string, host: string, ...fields: string[]) => {
    const answer = await rawExchange(
      rig.port,
      `${line} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: close',
      ...fields,
      '',
      '',
    );
    return { status: statusOf(answer), location: /^location: (.*)\r$/im.exec(answer)?.[1] };
  };
  return { ...rig, origin, ask };
}

describe('RFC 9110 15.4.9: http is redirected to https', () => {
  test('keeps path and query, and happens before the decision, without an event', async () => {
    const { ask, questions, events, origin, counterValue } = await start();
    const answer = await ask('GET /a%20b?c=d&e', 'shop.example');
    expect(answer).toEqual({ status: 308, location: 'https://shop.example/a%20b?c=d&e' });
    expect([questions.length, events.length, origin.requests.length]).toEqual([0, 0, 0]);
    expect(counterValue('guard_gateway_requests_total', 'served')).toBe(1);
  });

  test.each(['HEAD', 'POST', 'OPTIONS', 'PROPFIND'])('%s keeps its method', async (method) => {
    const { ask } = await start();
    const answer = await ask(`${method} /x`, 'a.shop.example', 'Content-Length: 0');
    expect(answer).toEqual({ status: 308, location: 'https://a.shop.example/x' });
  });

  test('a visitor who named a port gets the port of https', async () => {
    const { ask, tlsPort } = await start();
    const { location } = await ask('GET /', 'shop.example:8080');
    expect(location).toBe(`https://shop.example:${tlsPort}/`);
  });

  test('a path that looks like another host stays a path', async () => {
    const { ask } = await start();
    const { location } = await ask('GET //evil.example/%0d%0aSet-Cookie:a', 'shop.example');
    expect(location).toBe('https://shop.example//evil.example/%0d%0aSet-Cookie:a');
  });

  test.each(['evil.example', 'shop.example.evil.example'])(
    'an unknown host is answered 421, and gets no redirect: %s',
    async (host) => {
      const { ask } = await start();
      expect(await ask('GET /', host)).toEqual({ status: 421, location: undefined });
    },
  );

  test.each(['bare.example', '127.0.0.1'])(
    'a host without a certificate is not redirected: %s',
    async (host) => {
      const { ask } = await start();
      expect((await ask('GET /', host)).status).toBe(200);
    },
  );

  test('a host without a certificate is not redirected when the site accepts every host', async () => {
    const { ask } = await start({ hosts: ['*'] });
    expect((await ask('GET /', 'evil.example')).status).toBe(200);
  });

  test('a request of a certificate authority is not redirected (RFC 8555 8.3)', async () => {
    const { ask } = await start();
    expect((await ask('GET /.well-known/acme-challenge/x', 'shop.example')).status).toBe(200);
  });

  test('a request that reached a trusted proxy over https is not redirected', async () => {
    const { ask } = await start({ trustedProxies: ['127.0.0.1'] });
    expect((await ask('GET /', 'shop.example', 'X-Forwarded-Proto: https')).status).toBe(200);
    expect((await ask('GET /', 'shop.example', 'X-Forwarded-Proto: http')).status).toBe(308);
  });

  test('a visitor cannot claim https', async () => {
    const { ask } = await start();
    expect((await ask('GET /', 'shop.example', 'X-Forwarded-Proto: https')).status).toBe(308);
  });

  test('https itself is served', async () => {
    const { tlsPort } = await start();
    expect((await exchange(openHttp2(tlsPort))).status).toBe(200);
  });

  test('a reload switches the redirect off', async () => {
    const { ask, gateway, settings } = await start();
    gateway.reload({ ...settings, redirectHttps: false });
    expect((await ask('GET /', 'shop.example')).status).toBe(200);
  });
});
