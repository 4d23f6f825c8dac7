import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshPath } from '../testing/fresh-path.ts';
import { type Rig, type RigOptions, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { binaryHeader, IPV6 } from '../testing/proxy-header-bytes.ts';
import { waitUntil, RawClient } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';
import { selfSigned } from '../testing/self-signed.ts';

const run = promisify(execFile);
const shop = selfSigned('shop.example');

const LINE = 'PROXY TCP4 198.51.100.7 192.0.2.1 4711 443\r\n';
const BALANCER = '127.0.0.1';
const REFUSED_METRIC = 'guard_gateway_connections_refused_total';

/** A gateway behind a balancer, and the requests that its origin got. */
async function behindBalancer(options: Partial<RigOptions> = {}) {
  const trustedProxies = [`${BALANCER}/32`];
  const { origin, ...rig } = await startGatewayWithOrigin({
    trustedProxies,
    proxyProtocol: true,
    ...options,
  });
  return { rig, origin };
}

function request(...headers: readonly string[]): string {
  return ['GET / HTTP/1.1', 'Host: shop.example', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  );
}

/** Sends these bytes on a new connection. Resolves to the bytes that come back until it closes. */
async function exchangeBytes(
  socket: Socket,
  ...parts: readonly (string | Buffer)[]
): Promise<string> {
  const client = new RawClient(socket);
  for (const part of parts) socket.write(part);
  return client.untilClosed();
}

const connectTo = ({ port }: Rig) => connect(port, '127.0.0.1');

describe('the address in the header is the peer of the connection', () => {
  test.each([
    ['version 1', LINE, '198.51.100.7'],
    ['version 1, IPv6', 'PROXY TCP6 2001:db8::7 fd00::1 4711 443\r\n', '2001:db8::7'],
    ['version 2', binaryHeader(), '198.51.100.7'],
    ['version 2, IPv6', binaryHeader({ transport: 0x21, addresses: IPV6 }), '2001:db8::7'],
  ])('%s', async (_what, header, ip) => {
    const { rig, origin } = await behindBalancer();
    expect(await exchangeBytes(connectTo(rig), header, request())).toContain('hello');
    expect(rig.questions[0]?.ip).toBe(ip);
    expect(origin.requests[0]?.headers['x-forwarded-for']).toBe(ip);
  });

  test('header and request are read in one piece, and in pieces of one byte', async () => {
    const { rig } = await behindBalancer();
    for (const header of [Buffer.from(LINE), binaryHeader()]) {
      const whole = Buffer.concat([header, Buffer.from(request())]);
      expect(await exchangeBytes(connectTo(rig), whole)).toContain('hello');
      const socket = connectTo(rig).setNoDelay(true);
      const client = new RawClient(socket);
      for (const byte of whole) {
        socket.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      expect(await client.untilClosed()).toContain('hello');
    }
    expect(rig.questions.map(({ ip }) => ip)).toEqual(Array(4).fill('198.51.100.7'));
  });

  test('no byte is lost or added, wherever header and request are split', async () => {
    const { rig, origin } = await behindBalancer();
    const whole = Buffer.concat([binaryHeader(), Buffer.from(request())]);
    for (let at = 1; at < whole.length; at++) {
      const socket = connectTo(rig).setNoDelay(true);
      const client = new RawClient(socket);
      socket.write(whole.subarray(0, at));
      await new Promise(setImmediate);
      socket.write(whole.subarray(at));
      expect(await client.untilClosed()).toContain('hello');
    }
    expect(new Set(rig.questions.map(({ ip }) => ip))).toEqual(new Set(['198.51.100.7']));
    expect(origin.requests).toHaveLength(whole.length - 1);
  });

  test('the address is used for every request of the connection, also for pipelined requests and uploads', async () => {
    // The origin answers only when the whole body has come, because Guard discards the rest of a body that is answered
    // early.
    const origin = await startOrigin((req, res) => req.on('end', () => res.end('hello')));
    const { rig } = await behindBalancer({ origin: origin.address });
    const keep = 'GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n';
    const body = 'x'.repeat(300_000);
    const upload = `POST /b HTTP/1.1\r\nHost: shop.example\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await exchangeBytes(connectTo(rig), LINE + keep + upload + request());
    expect(rig.questions.map(({ ip }) => ip)).toEqual(Array(3).fill('198.51.100.7'));
    expect(origin.requests.map(({ body: { length } }) => length)).toEqual([0, body.length, 0]);
  });

  test('the header that curl --haproxy-protocol sends is read', async () => {
    const { rig } = await behindBalancer();
    const at = `http://127.0.0.1:${rig.port}/`;
    await run('curl', [
      '-s',
      '--max-time',
      '20',
      '--haproxy-protocol',
      '-H',
      'Host: shop.example',
      at,
    ]);
    expect(rig.questions[0]?.ip).toBe('127.0.0.1');
  });
});

describe('forwarded headers are believed only if the address in the PROXY header is trusted', () => {
  const claim = 'X-Forwarded-For: 203.0.113.9';

  test('forwarded headers of a visitor are ignored', async () => {
    const { rig, origin } = await behindBalancer();
    await exchangeBytes(connectTo(rig), LINE, request(claim));
    expect(rig.questions[0]?.ip).toBe('198.51.100.7');
    expect(origin.requests[0]?.headers['x-forwarded-for']).toBe('198.51.100.7');
  });

  test('forwarded headers of a trusted proxy before the balancer are believed', async () => {
    const trustedProxies = [BALANCER, '198.51.100.0/24'];
    const { rig } = await behindBalancer({ trustedProxies });
    await exchangeBytes(connectTo(rig), LINE, request(claim));
    expect(rig.questions[0]?.ip).toBe('203.0.113.9');
  });

  test.each([
    ['UNKNOWN', 'PROXY UNKNOWN\r\n'],
    ['LOCAL', binaryHeader({ command: 0x20, transport: 0, addresses: Buffer.alloc(0) })],
    ['UNSPEC', binaryHeader({ transport: 0, addresses: Buffer.alloc(0) })],
    ['a unix socket', binaryHeader({ transport: 0x31, addresses: Buffer.alloc(216) })],
  ])('%s names no visitor, so no forwarded header is believed', async (_what, header) => {
    const { rig } = await behindBalancer();
    expect(await exchangeBytes(connectTo(rig), header, request(claim))).toContain('hello');
    expect(rig.questions[0]?.ip).toBe(BALANCER);
  });
});

describe('a connection without a PROXY header is closed without an answer', () => {
  test.each([
    ['no header', request(), 'proxy_header_malformed'],
    ['a header of another form', `PROXY TCP4 me you 1 2\r\n${request()}`, 'proxy_header_malformed'],
    ['another version', binaryHeader({ command: 0x31 }), 'proxy_header_malformed'],
    ['half a header', LINE.slice(0, 20), 'proxy_header_late'],
    ['nothing', '', 'proxy_header_late'],
  ])('%s', async (_what, bytes, reason) => {
    const { rig, origin } = await behindBalancer({ limits: { proxyHeaderMs: 50 } });
    expect(await exchangeBytes(connectTo(rig), bytes)).toBe('');
    expect(rig.counterValue(REFUSED_METRIC, reason)).toBe(1);
    expect(rig.logEntries.map(({ event }) => event)).toContain('gateway_connection_refused');
    expect([rig.questions, origin.requests]).toEqual([[], []]);
  });

  test.each([
    ['with a header', LINE + request()],
    ['without one', request()],
  ])('a peer that is not trusted, %s', async (_what, bytes) => {
    const { rig, origin } = await behindBalancer({ trustedProxies: ['10.0.0.0/8'] });
    expect(await exchangeBytes(connectTo(rig), bytes)).toBe('');
    expect(rig.counterValue(REFUSED_METRIC, 'untrusted_peer')).toBe(1);
    expect(origin.requests).toEqual([]);
  });

  test('a health check that only connects is not an error', async () => {
    const { rig } = await behindBalancer();
    const checks = ['end', 'resetAndDestroy'] as const;
    for (const closeMethod of checks) {
      const socket = connectTo(rig);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket[closeMethod]();
      await exchangeBytes(connectTo(rig), LINE, request());
    }
    expect(rig.logEntries.filter(({ event }) => event === 'gateway_connection_refused')).toEqual(
      [],
    );
  });

  test('a second PROXY header is refused', async () => {
    const { rig } = await behindBalancer();
    expect(await exchangeBytes(connectTo(rig), LINE + LINE + request())).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(rig.questions).toEqual([]);
  });

  test('a reload changes which balancers are trusted', async () => {
    const { rig } = await behindBalancer();
    rig.gateway.reload({ ...rig.settings, trustedProxies: [] });
    expect(await exchangeBytes(connectTo(rig), LINE + request())).toBe('');
    rig.gateway.reload({ ...rig.settings, trustedProxies: [BALANCER] });
    expect(await exchangeBytes(connectTo(rig), LINE + request())).toContain('hello');
  });

  test('closing does not wait for a connection without its PROXY header', async () => {
    const { rig } = await behindBalancer({ limits: { proxyHeaderMs: 60_000, drainMs: 100 } });
    const client = new RawClient(connectTo(rig));
    client.send('PROXY ');
    await waitUntil(() => client.socket.bytesWritten > 0);
    await exchangeBytes(connectTo(rig), LINE + request());
    await rig.gateway.close();
    await client.untilClosed();
  });
});

test('without the setting a PROXY header is refused from every peer', async () => {
  const { rig } = await behindBalancer({ proxyProtocol: false });
  expect(await exchangeBytes(connectTo(rig), LINE + request())).toMatch(/^HTTP\/1\.1 400 /);
});

/** A TLS client whose connection begins with a PROXY header. */
function openSecured(socket: Socket, protocol: 'h2' | 'http/1.1', header: string | Buffer) {
  socket.write(header);
  const secure = connectTls({
    socket,
    servername: 'shop.example',
    rejectUnauthorized: false,
    ALPNProtocols: [protocol],
  });
  onTestFinished(() => {
    secure.destroy();
  });
  return secure;
}

describe('with TLS the visitor’s ClientHello follows the PROXY header', () => {
  const certificates = [shop];

  test.each([
    ['a TCP port', undefined],
    ['a unix socket', 'tls.sock'],
  ])('http/1.1 and h2 are served on %s', async (_what, file) => {
    const path = file === undefined ? {} : { tlsUnixPath: freshPath(file) };
    const { rig } = await behindBalancer({ certificates, ...path });
    const openSocket = () =>
      path.tlsUnixPath === undefined
        ? connect(rig.tlsPort, '127.0.0.1')
        : connect(path.tlsUnixPath);

    const h1 = openSecured(openSocket(), 'http/1.1', LINE);
    h1.write(request());
    expect(await new RawClient(h1).untilClosed()).toContain('hello');
    const header = binaryHeader({ transport: 0x21, addresses: IPV6 });
    const session = openHttp2(443, openSecured(openSocket(), 'h2', header));
    expect((await exchange(session)).status).toBe(200);
    expect(rig.questions.map(({ ip }) => ip)).toEqual(['198.51.100.7', '2001:db8::7']);
    expect(rig.transports.map((facts) => facts?.hello?.ja4.slice(0, 3))).toEqual(['t13', 't13']);
  });

  test('TLS without a header is closed', async () => {
    const { rig } = await behindBalancer({ certificates });
    const secure = openSecured(connect(rig.tlsPort, '127.0.0.1'), 'http/1.1', '');
    await new Promise((resolve) => secure.once('error', resolve));
    expect(rig.counterValue(REFUSED_METRIC, 'proxy_header_malformed')).toBe(1);
  });
});

test('on a unix socket every peer may send the PROXY header', async () => {
  const unixPath = freshPath('gateway.sock');
  const { rig } = await behindBalancer({ unixPath, trustedProxies: [] });
  expect(await exchangeBytes(connect(unixPath), LINE + request())).toContain('hello');
  expect(await exchangeBytes(connect(unixPath), request())).toBe('');
  expect(rig.questions.map(({ ip }) => ip)).toEqual(['198.51.100.7']);
});
