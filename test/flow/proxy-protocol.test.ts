import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { startListening } from '../kit/listening-program.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { hasHaproxy, hasOpenssl } from '../kit/tools.ts';

/** HAProxy as a balancer that passes connections on as they are, before the started product. */

/** Addresses of loopback that are not HAProxy's own: the visitors. */
const CLOSED_OUT = '127.0.0.2';
const WELCOME = '127.0.0.3';
const RULES = [
  { name: 'closed out', match: { ip: [CLOSED_OUT] }, verdict: 'block', status: 451 },
  { name: 'open', match: {}, verdict: 'allow' },
];

interface Balancer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Starts HAProxy with one server line; its health checks begin with a header, too. */
async function startBalancer(server: string): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-balancer-'));
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 5s',
    '  timeout client 30s',
    '  timeout server 30s',
    'listen balancer',
    `  bind 127.0.0.1:${port}`,
    `  server guard ${server} check inter 100ms`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return startListening(['haproxy', '-db', '-f', file], port, folder);
}

/** The status of a request that a visitor makes from this address. */
async function visit(
  scheme: 'http' | 'https',
  port: number,
  localAddress: string,
): Promise<number> {
  const begin = scheme === 'http' ? requestHttp : requestHttps;
  const headers = { host: 'shop.example', 'x-forwarded-for': '198.51.100.7' };
  const sent = begin({
    host: '127.0.0.1',
    port,
    localAddress,
    headers,
    agent: false,
    servername: 'shop.example',
    rejectUnauthorized: false,
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.end();
  const [answer] = await answered;
  await once(answer.resume(), 'end');
  return answer.statusCode ?? 0;
}

describe.skipIf(!hasHaproxy || !hasOpenssl)('listen.proxy_protocol behind HAProxy', () => {
  let origin: RecordingOrigin;
  let product: Product;
  let folder: string;
  beforeAll(async () => {
    origin = await startRecordingOrigin();
    folder = await mkdtemp(join(tmpdir(), 'guard-cert-'));
    const { cert, key } = selfSigned('shop.example');
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
    const settings = storySettings(origin.url, { rules: RULES });
    const any = '127.0.0.1:0';
    product = await startProduct({
      ...settings,
      listen: { gateway: any, gateway_tls: any, admin: any, proxy_protocol: true },
      tls: { certificates: [{ cert: certFile, key: keyFile }] },
      analytics: undefined,
    });
  });
  afterAll(async () => {
    expect(await product.stop()).toBe(0);
    await origin.close();
    await rm(folder, { recursive: true });
  });

  const metrics = async () => (await send(`${product.addresses.admin}/metrics`)).body;

  test.each([
    ['http', 'send-proxy'],
    ['http', 'send-proxy-v2'],
    ['http', 'send-proxy-v2 proxy-v2-options crc32c,unique-id'],
    ['https', 'send-proxy'],
    ['https', 'send-proxy-v2-ssl'],
  ] as const)(
    '%s with %s: rules see the visitor, and so does the origin',
    async (scheme, flags) => {
      const { gateway, gateway_tls: secure } = product.addresses;
      const { host } = new URL(scheme === 'http' ? gateway : secure);
      const balancer = await startBalancer(`${host} ${flags}`);
      try {
        const before = origin.arrivals.length;
        expect(await visit(scheme, balancer.port, CLOSED_OUT)).toBe(451);
        expect(await visit(scheme, balancer.port, WELCOME)).toBe(200);
        const arrived = origin.arrivals.slice(before);
        expect(arrived.map(({ headers }) => headers['x-forwarded-for'])).toEqual([WELCOME]);
        expect(arrived[0]?.headers['x-forwarded-proto']).toBe(scheme);
      } finally {
        await balancer.close();
      }
      expect(product.log()).not.toContain('gateway_connection_refused');
    },
  );

  test('a visitor who goes past the balancer is not served, and it is counted', async () => {
    const { port } = new URL(product.addresses.gateway);
    await expect(visit('http', Number(port), CLOSED_OUT)).rejects.toThrow();
    const refused = 'guard_gateway_connections_refused_total{reason="untrusted_peer"} 1';
    await poll(metrics, (page) => page.includes(refused));
    expect(product.log()).toContain('"gateway_connection_refused"');
  });

  test('the end of the certificate is on the metrics page', async () => {
    const line =
      /^guard_gateway_certificate_expiry_timestamp_seconds\{host="shop\.example"\} (\d+)$/m;
    const endsAt = Number(line.exec(await metrics())?.[1]);
    expect(endsAt).toBeGreaterThan(Date.now() / 1000);
  });
});
