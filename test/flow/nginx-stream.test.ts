import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { freePort } from '../kit/free-port.ts';
import { type ListeningProgram, startListening } from '../kit/listening-program.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { hasNginxStream, hasOpenssl, NGINX_STREAM_MODULE } from '../kit/tools.ts';

/** nginx's `stream` with `proxy_protocol on;` before the started product, as docs/guide says. */

/** Visitors: addresses of loopback that are not nginx's own. */
const CLOSED_OUT = '127.0.0.2';
const WELCOME = '127.0.0.3';
const RULES = [
  { name: 'closed out', match: { ip: [CLOSED_OUT] }, verdict: 'block', status: 451 },
  { name: 'open', match: {}, verdict: 'allow' },
];

interface Visit {
  readonly scheme: 'http' | 'https';
  readonly port: number;
  /** Where nginx listens, and whom the visitor is. */
  readonly host: string;
  readonly from: string;
}

/** The status of one request, on a connection of its own. */
async function visit({ scheme, port, host, from }: Visit): Promise<number> {
  const sent = (scheme === 'http' ? requestHttp : requestHttps)({
    host,
    port,
    localAddress: from,
    headers: { host: 'shop.example', 'x-forwarded-for': '198.51.100.7' },
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

/** Starts nginx with one server that passes connections of both families on. */
async function startStream(port: number, target: string): Promise<ListeningProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-nginx-stream-'));
  const file = join(folder, 'nginx.conf');
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

describe.skipIf(!hasNginxStream || !hasOpenssl)(
  'listen.proxy_protocol behind nginx’s stream',
  () => {
    let origin: RecordingOrigin;
    let product: Product;
    let folder: string;
    let port: number;
    beforeAll(async () => {
      origin = await startRecordingOrigin();
      folder = await mkdtemp(join(tmpdir(), 'guard-cert-'));
      const { cert, key } = selfSigned('shop.example');
      const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
      const any = '127.0.0.1:0';
      product = await startProduct({
        ...storySettings(origin.url, { rules: RULES }),
        listen: { gateway: any, gateway_tls: any, proxy_protocol: true },
        tls: { certificates: [{ cert: certFile, key: keyFile }] },
        analytics: undefined,
      });
      port = await freePort();
    });
    afterAll(async () => {
      expect(await product.stop()).toBe(0);
      await origin.close();
      await rm(folder, { recursive: true });
    });

    test.each(['http', 'https'] as const)(
      'over %s rules see the visitor, in IPv4 and IPv6, and so does the origin',
      async (scheme) => {
        const { gateway, gateway_tls: secure } = product.addresses;
        const target = new URL(scheme === 'http' ? gateway : secure).host;
        const nginx = await startStream(port, target);
        try {
          const before = origin.arrivals.length;
          const ipv4 = { scheme, port, host: '127.0.0.1' };
          expect(await visit({ ...ipv4, from: CLOSED_OUT })).toBe(451);
          expect(await visit({ ...ipv4, from: WELCOME })).toBe(200);
          expect(await visit({ scheme, port, host: '::1', from: '::1' })).toBe(200);
          const arrived = origin.arrivals.slice(before).map(({ headers }) => headers);
          expect(arrived.map((headers) => headers['x-forwarded-for'])).toEqual([WELCOME, '::1']);
          expect(arrived.map((headers) => headers['x-forwarded-proto'])).toEqual([scheme, scheme]);
        } finally {
          await nginx.close();
        }
        expect(product.log()).not.toContain('gateway_connection_refused');
      },
    );
  },
);
