import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { type ListeningProgram, startListening } from '../kit/listening-program.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { hasHaproxy, hasNginxStream, hasOpenssl, NGINX_STREAM_MODULE } from '../kit/tools.ts';

/**
 * These tests use `listen.proxy_protocol` behind two balancers: HAProxy in TCP mode, and nginx's `stream` with
 * `proxy_protocol on;` as docs/guide shows. Both balancers pass on connections without reading them.
 */

/** Addresses of visitors. The balancers have another address of loopback. */
const CLOSED_OUT = '127.0.0.2';
const WELCOME = '127.0.0.3';
const RULES = [
  { name: 'closed out', match: { ip: [CLOSED_OUT] }, verdict: 'block', status: 451 },
  { name: 'open', match: {}, verdict: 'allow' },
];

type Scheme = 'http' | 'https';

/** Starts HAProxy with one server line. Its health checks also begin with a PROXY header. */
async function startHaproxy(server: string): Promise<ListeningProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-haproxy-'));
  const [port, file] = [await freePort(), join(folder, 'haproxy.cfg')];
  const config = `defaults
  mode tcp
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen balancer
  bind 127.0.0.1:${port}
  server guard ${server} check inter 100ms
`;
  await writeFile(file, config);
  return startListening(['haproxy', '-db', '-f', file], port, folder);
}

/** Starts nginx with one server for both families of addresses. */
async function startNginxStream(target: string): Promise<ListeningProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-nginx-stream-'));
  const [port, file] = [await freePort(), join(folder, 'nginx.conf')];
  const config = `load_module ${NGINX_STREAM_MODULE};
daemon off; pid ${folder}/nginx.pid; user root; worker_processes 1;
events { worker_connections 256; }
stream {
  error_log stderr;
  server {
    listen 127.0.0.1:${port};
    listen [::1]:${port};
    proxy_pass ${target};
    proxy_protocol on;
  }
}
`;
  await writeFile(file, config);
  return startListening(['nginx', '-e', 'stderr', '-p', folder, '-c', file], port, folder);
}

/** Sends one request of a visitor from this address, on a new connection, and returns the status. */
async function visit(scheme: Scheme, port: number, from: string): Promise<number> {
  const request = (scheme === 'http' ? requestHttp : requestHttps)({
    host: from === '::1' ? from : '127.0.0.1',
    port,
    localAddress: from,
    headers: { host: 'shop.example', 'x-forwarded-for': '198.51.100.7' },
    agent: false,
    servername: 'shop.example',
    rejectUnauthorized: false,
  });
  const responseEvent = once(request, 'response') as Promise<[IncomingMessage]>;
  request.end();
  const [answer] = await responseEvent;
  await once(answer.resume(), 'end');
  return answer.statusCode ?? 0;
}

describe.skipIf(!hasOpenssl)('listen.proxy_protocol', () => {
  const folder = testFolder();
  let origin: RecordingOrigin;
  let product: Product;
  beforeAll(async () => {
    origin = await startRecordingOrigin();
    const certificate = selfSigned('shop.example');
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    await writeFile(files.cert, certificate.cert);
    await writeFile(files.key, certificate.key);
    const any = '127.0.0.1:0';
    product = await startProduct({
      ...productSettings(origin.url, { rules: RULES }),
      listen: { gateway: any, gateway_tls: any, admin: any, proxy_protocol: true },
      tls: { certificates: [files] },
      analytics: undefined,
    });
  });
  afterAll(async () => {
    expect(await product.stop()).toBe(0);
    await origin.close();
  });

  const metrics = async () => (await send(`${product.addresses.admin}/metrics`)).body;

  /** Makes visits behind a balancer, and checks that rules and origin see the addresses of these visitors. */
  async function expectVisitors(
    scheme: Scheme,
    start: (target: string) => Promise<ListeningProgram>,
    welcome: readonly string[],
  ): Promise<void> {
    const { gateway, gateway_tls: secure } = product.addresses;
    const balancer = await start(new URL(scheme === 'http' ? gateway : secure).host);
    try {
      const countBefore = origin.arrivals.length;
      expect(await visit(scheme, balancer.port, CLOSED_OUT)).toBe(451);
      for (const from of welcome) expect(await visit(scheme, balancer.port, from)).toBe(200);
      const arrivedFields = origin.arrivals.slice(countBefore).map(({ headers }) => headers);
      expect(arrivedFields.map((headers) => headers['x-forwarded-for'])).toEqual(welcome);
      expect(new Set(arrivedFields.map((headers) => headers['x-forwarded-proto']))).toEqual(
        new Set([scheme]),
      );
    } finally {
      await balancer.close();
    }
    expect(product.log()).not.toContain('gateway_connection_refused');
  }

  test.skipIf(!hasHaproxy).each([
    ['http', 'send-proxy'],
    ['http', 'send-proxy-v2'],
    ['http', 'send-proxy-v2 proxy-v2-options crc32c,unique-id'],
    ['https', 'send-proxy'],
    ['https', 'send-proxy-v2-ssl'],
  ] as const)(
    'behind HAProxy, %s with %s: rules and origin see the visitor’s address',
    (scheme, flags) =>
      expectVisitors(scheme, (target) => startHaproxy(`${target} ${flags}`), [WELCOME]),
  );

  test.skipIf(!hasNginxStream).each(['http', 'https'] as const)(
    'behind the stream module of nginx, %s: rules and origin see the visitor’s address, in IPv4 and IPv6',
    (scheme) => expectVisitors(scheme, startNginxStream, [WELCOME, '::1']),
  );

  test('a visitor who connects without the balancer is not served, and Guard counts the connection', async () => {
    const { port } = new URL(product.addresses.gateway);
    await expect(visit('http', Number(port), CLOSED_OUT)).rejects.toThrow();
    const refusedLine = 'guard_gateway_connections_refused_total{reason="untrusted_peer"} 1';
    await poll(metrics, (page) => page.includes(refusedLine));
    expect(product.log()).toContain('"gateway_connection_refused"');
  });

  test('the metrics page has the time when the certificate expires', async () => {
    const line =
      /^guard_gateway_certificate_expiry_timestamp_seconds\{host="shop\.example"\} (\d+)$/m;
    const endsAt = Number(line.exec(await metrics())?.[1]);
    expect(endsAt).toBeGreaterThan(Date.now() / 1000);
  });
});
