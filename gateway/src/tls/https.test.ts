import { execFile } from 'node:child_process';
import { connect as connectTcp, createServer } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { handshakeOf } from '../../../test/kit/browsers/handshakes.ts';
import { startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { waitUntil, RawClient, rawExchange } from '../testing/raw-client.ts';
import { selfSigned } from '../testing/self-signed.ts';

const run = promisify(execFile);
const shop = selfSigned('shop.example', '*.shop.example');
const otherCertificate = selfSigned('other.example');

interface Client {
  readonly servername?: string;
  readonly alpn?: string[];
}

/** A TLS connection after its handshake; rejects when the handshake fails. */
function handshake(port: number, { servername, alpn }: Client = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...(servername === undefined ? {} : { servername }),
      ...(alpn === undefined ? {} : { ALPNProtocols: alpn }),
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    onTestFinished(() => {
      socket.destroy();
    });
  });
}

async function certificateFor(port: number, servername?: string): Promise<string> {
  const socket = await handshake(port, servername === undefined ? {} : { servername });
  const { subject } = socket.getPeerCertificate();
  return String(subject.CN);
}

async function curl(port: number, ...flags: readonly string[]): Promise<string> {
  const curlOptions = ['--resolve', `shop.example:${port}:127.0.0.1`, '--max-time', '20'];
  const { stdout } = await run('curl', [
    '-sk',
    ...curlOptions,
    ...flags,
    `https://shop.example:${port}/`,
  ]);
  return stdout;
}

describe('HTTP/2 and HTTP/1.1 on one port, by ALPN (RFC 7301)', () => {
  const version = ['-o', '/dev/null', '-w', '%{http_version} %{response_code}'];

  test.each([
    ['h2 if it is offered', ['--http2'], '2 200'],
    ['http/1.1 if only that is offered', ['--http1.1'], '1.1 200'],
    ['http/1.1 without ALPN', ['--no-alpn'], '1.1 200'],
    ['TLS 1.2', ['--tls-max', '1.2'], '2 200'],
  ])('curl: %s', async (_what, flags, expected) => {
    const { tlsPort, questions, origin } = await startGatewayWithOrigin({ certificates: [shop] });
    expect(await curl(tlsPort, ...version, ...flags)).toBe(expected);
    expect(questions[0]?.url).toBe(`https://shop.example:${tlsPort}/`);
    expect(origin.requests[0]?.headers['x-forwarded-proto']).toBe('https');
  });

  test('a client without either protocol is refused, and TLS 1.1 is refused too', async () => {
    const { tlsPort } = await startGatewayWithOrigin({ certificates: [shop] });
    await expect(handshake(tlsPort, { alpn: ['imap'] })).rejects.toThrow();
    await expect(curl(tlsPort, '--tls-max', '1.1')).rejects.toThrow();
    expect(await curl(tlsPort)).toBe('hello');
  });

  test('an http listener of the same gateway still serves requests, with the scheme http', async () => {
    const rig = await startGatewayWithOrigin({ certificates: [shop] });
    await rawExchange(
      rig.port,
      'GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n',
    );
    expect(rig.questions[0]?.url).toBe('http://shop.example/');
    expect(rig.transports).toEqual([undefined]);
  });

  test('plain http on the https port gets an explanation', async () => {
    const { tlsPort } = await startGatewayWithOrigin({ certificates: [shop] });
    const answer = await rawExchange(tlsPort, 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*This port speaks https only$/);
  });

  test('a connection without a ClientHello is closed in time', async () => {
    const { tlsPort } = await startGatewayWithOrigin({
      certificates: [shop],
      limits: { helloMs: 50, handshakeMs: 50 },
    });
    const silent = new RawClient(tlsPort);
    const slow = new RawClient(tlsPort);
    slow.send('\x16\x03\x01');
    const halfway = connectTcp(tlsPort, '127.0.0.1');
    halfway.on('error', () => undefined);
    halfway.write(handshakeOf('curl 7.88').helloBytes);
    halfway.resume();
    await Promise.all([silent.untilClosed(), slow.untilClosed()]);
    await waitUntil(() => halfway.destroyed || halfway.readableEnded);
    expect(await curl(tlsPort)).toBe('hello');
  });
});

describe('the certificate of the host that the visitor names (RFC 6066 section 3)', () => {
  test('SNI selects the exact or wildcard certificate, and all other hosts get the first one', async () => {
    const { tlsPort } = await startGatewayWithOrigin({ certificates: [shop, otherCertificate] });
    expect(await certificateFor(tlsPort, 'other.example')).toBe('other.example');
    expect(await certificateFor(tlsPort, 'shop.example')).toBe('shop.example');
    expect(await certificateFor(tlsPort, 'a.shop.example')).toBe('shop.example');
    expect(await certificateFor(tlsPort, 'nobody.example')).toBe('shop.example');
    expect(await certificateFor(tlsPort)).toBe('shop.example');
  });

  test('reload: new handshakes get the new certificate, and open connections stay open', async () => {
    const rig = await startGatewayWithOrigin({ certificates: [shop] });
    const session = openHttp2(rig.tlsPort);
    expect((await exchange(session)).status).toBe(200);
    rig.gateway.reload({ ...rig.settings, certificates: [otherCertificate] });
    expect(await certificateFor(rig.tlsPort)).toBe('other.example');
    expect(await certificateFor(rig.tlsPort, 'shop.example')).toBe('other.example');
    expect((await exchange(session)).status).toBe(200);
  });

  test('a certificate that the TLS library refuses does not replace the last good one', async () => {
    const rig = await startGatewayWithOrigin({ certificates: [shop] });
    const bad = { ...shop, key: otherCertificate.key };
    expect(() => rig.gateway.reload({ ...rig.settings, certificates: [bad] })).toThrow();
    expect(await certificateFor(rig.tlsPort)).toBe('shop.example');
    expect(await curl(rig.tlsPort)).toBe('hello');
  });
});

describe('what the handshake showed goes to the validator', () => {
  test('the validator gets JA4 and the HTTP/2 opening of curl', async () => {
    const rig = await startGatewayWithOrigin({ certificates: [shop] });
    await curl(rig.tlsPort);
    await curl(rig.tlsPort, '--http1.1');
    const [h2, h1] = rig.transports;
    expect(h2?.hello?.ja4).toMatch(/^t13d\d{4}h2_/);
    expect(h2?.http2?.pseudoHeaders).toMatch(/^m,/);
    expect(h1?.hello?.ja4).toMatch(/^t13d\d{4}h1_/);
    expect(h1?.http2).toBeUndefined();
    expect(h1?.hello?.ciphers).toEqual(h2?.hello?.ciphers);
  });

  test('the validator gets nothing when a trusted proxy made the connection, because the handshake is not the visitor’s', async () => {
    const trustedProxies = ['127.0.0.1/32'];
    const rig = await startGatewayWithOrigin({ certificates: [shop], trustedProxies });
    await curl(rig.tlsPort, '-H', 'X-Forwarded-For: 198.51.100.7');
    await curl(rig.tlsPort);
    expect(rig.transports).toEqual([undefined, undefined]);
    expect(rig.questions[0]?.ip).toBe('198.51.100.7');
  });

  test('a hello in pieces of one byte is read and passed on unchanged', async () => {
    const rig = await startGatewayWithOrigin({ certificates: [shop] });
    const relay = await pieceByPiece(rig.tlsPort);
    expect(await curl(relay)).toBe('hello');
    expect(rig.transports[0]?.hello?.ja4).toMatch(/^t13d\d{4}h2_/);
  });
});

/** A relay that passes on the first 600 bytes of each connection one by one. */
async function pieceByPiece(port: number): Promise<number> {
  const server = createServer((visitor) => {
    const relay = connectTcp(port, '127.0.0.1').setNoDelay(true);
    let sentBytes = 0;
    visitor.on('data', (part: Buffer) => {
      const single = Math.max(0, Math.min(part.length, 600 - sentBytes));
      for (let at = 0; at < single; at++) relay.write(part.subarray(at, at + 1));
      if (single < part.length) relay.write(part.subarray(single));
      sentBytes += part.length;
    });
    visitor.on('close', () => relay.destroy()).on('error', () => undefined);
    relay.on('close', () => visitor.destroy()).on('error', () => undefined);
    relay.pipe(visitor);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
