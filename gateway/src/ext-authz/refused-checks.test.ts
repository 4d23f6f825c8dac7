import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { LOGIN, startExtAuthz, withHeaders, withoutHeader } from '../testing/ext-authz-rig.ts';

describe('the peers that may ask', () => {
  test('an untrusted peer is denied before its message is read, and the log says why', async () => {
    const { envoy, status, questions, logEntries, counterValue } = await startExtAuthz({
      trustedProxies: [],
    });
    expect(await status(LOGIN)).toBe('Forbidden');
    const large = await envoy.checkBytes(Buffer.alloc(3_000_000));
    expect(large.denied_response?.status.code).toBe('Forbidden');
    expect(questions).toEqual([]);
    expect(logEntries).toEqual([
      {
        event: 'forward_auth_refused',
        fields: { peer: '127.0.0.1', reason: 'not in trusted_proxies' },
      },
    ]);
    expect(counterValue('guard_forward_auth_requests_total', 'refused')).toBe(2);
  });

  test('a reload changes which peers are trusted', async () => {
    const { gateway, status } = await startExtAuthz();
    expect(await status(LOGIN)).toBe('passes');
    gateway.reload({ trustedProxies: [], observe: false, sites: [] });
    expect(await status(LOGIN)).toBe('Forbidden');
  });

  test('an untrusted address may have 8 connections, all untrusted addresses together 16, and a trusted address more', async () => {
    const countOpen = async (trustedProxies: string[], localAddresses = ['127.0.0.1']) => {
      const { envoyUrl } = await startExtAuthz({ trustedProxies });
      const { hostname: host, port } = new URL(envoyUrl);
      const sockets = localAddresses.flatMap((localAddress) =>
        Array.from({ length: 12 }, () => connect({ port: Number(port), host, localAddress })),
      );
      onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
      // An HTTP/2 server sends the first bytes.
      const areServed = sockets.map((socket) =>
        Promise.race([
          once(socket, 'data').then(() => true),
          once(socket, 'close').then(() => false),
        ]).catch(() => false),
      );
      return (await Promise.all(areServed)).filter(Boolean).length;
    };
    expect(await countOpen([])).toBe(8);
    expect(
      await countOpen(
        [],
        [1, 2, 3, 4, 5, 6].map((lastByte) => `127.0.0.${lastByte}`),
      ),
    ).toBe(16);
    expect(await countOpen(['127.0.0.1'])).toBe(12);
  });

  test('a peer on a unix socket is trusted', async () => {
    const path = join(testFolder(), 'guard.sock');
    const { status } = await startExtAuthz({ trustedProxies: [] }, path);
    expect(await status(LOGIN)).toBe('passes');
  });

  test.each([
    ['x-forwarded-for', withoutHeader('x-forwarded-for')],
    ['x-forwarded-proto', withoutHeader('x-forwarded-proto')],
  ])('without %s gets 400, and the log says what is missing', async (name, http) => {
    const { status, questions, logEntries } = await startExtAuthz();
    expect(await status(http)).toBe('BadRequest');
    expect(questions).toEqual([]);
    expect(logEntries[0]?.fields).toEqual({ peer: '127.0.0.1', reason: `no ${name}` });
  });

  test('a question without an HTTP request gets 400', async () => {
    const { envoy, logEntries } = await startExtAuthz();
    const { denied_response: denied } = await envoy.checkBytes(Buffer.alloc(0));
    expect(denied?.status.code).toBe('BadRequest');
    expect(logEntries[0]?.fields).toMatchObject({ reason: 'no attributes.request.http' });
  });
});

describe('a described request that is not valid', () => {
  test.each([
    ['an unknown host', { host: 'elsewhere.example' }, 'MisdirectedRequest'],
    ['a host that would rewrite the URL', { host: 'shop.example/public?' }, 'BadRequest'],
    ['no path', { path: 'login' }, 'BadRequest'],
    ['a path with a space', { path: '/public /login' }, 'BadRequest'],
    ['a path that is too long', { path: `/${'a'.repeat(20_000)}` }, 'URITooLong'],
    ['a path of Guard’s own', { path: '/x/..;/%2eguard/y' }, 'NotFound'],
    ['CONNECT', { method: 'CONNECT' }, 'MethodNotAllowed'],
    ['a method that is no token', { method: 'GET /public' }, 'BadRequest'],
    ['an unknown scheme', withHeaders({ 'x-forwarded-proto': 'ftp' }), 'BadRequest'],
    ['a line break in a field', withHeaders({ a: 'b\r\nc: d' }), 'BadRequest'],
    ['a name with a space', withHeaders({ 'a b': 'c' }), 'BadRequest'],
    [
      'too many fields',
      withHeaders(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x-${i}`, '1']))),
      'RequestHeaderFieldsTooLarge',
    ],
    [
      'fields that are too large',
      withHeaders({ a: 'b'.repeat(70_000) }),
      'RequestHeaderFieldsTooLarge',
    ],
  ])('%s is denied, and the validator is not asked', async (_what, fault, code) => {
    const { status, questions } = await startExtAuthz();
    expect(await status({ ...LOGIN, ...fault })).toBe(code);
    expect(questions).toEqual([]);
  });
});

describe('a message', () => {
  test('that does not belong to the service gets a gRPC error, and the next message is answered', async () => {
    const { envoy, status, questions } = await startExtAuthz();
    const broken = Buffer.from([0x0a, 0xff, 0xff]);
    await expect(envoy.checkBytes(broken)).rejects.toMatchObject({ code: 13 });
    expect(questions).toEqual([]);
    expect(await status(LOGIN)).toBe('passes');
  });

  test.each([
    ['a little', withHeaders({ a: 'b'.repeat(1_100_000) })],
    ['far', withHeaders({ a: 'b'.repeat(12_000_000) })],
  ])(
    '%s above a megabyte is denied, because Envoy may let a request pass after an error; the next message is answered',
    async (_how, http) => {
      const { status, questions, counterValue } = await startExtAuthz();
      expect(await Promise.all([status(http), status(http)])).toEqual([
        'RequestHeaderFieldsTooLarge',
        'RequestHeaderFieldsTooLarge',
      ]);
      expect(questions).toEqual([]);
      expect(counterValue('guard_forward_auth_requests_total', 'denied')).toBe(2);
      expect(await status(LOGIN)).toBe('passes');
    },
  );
});
