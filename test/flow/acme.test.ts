import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { openPebble, type Pebble } from '../kit/peers/pebble.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type RedisServer, startRedis } from '../kit/peers/redis-server.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasPebble, hasRedis } from '../kit/tools.ts';

/** These tests order certificates by ACME (RFC 8555) from Pebble. */

const HOST = 'shop.example';
const DAY_S = 86_400;

interface Listening {
  readonly gateway?: number;
  readonly gateway_tls: number;
}

/** All servers of this file. They start together, because starting is mostly waiting. */
interface Ground {
  readonly origin: RecordingOrigin;
  readonly pebbles: Readonly<Record<'http' | 'alpn' | 'shared', Pebble>>;
  readonly redis: RedisServer;
  /** A Guard with http-01. Its authority is away at the start. */
  readonly byHttp: Product;
  readonly byAlpn: Product;
  /** The folder with the store of `byAlpn`. It exists after a restart. */
  readonly folder: string;
  /** Two instances that share the Redis. The authority reaches only the first instance, but each of them can order. */
  readonly sharing: readonly Product[];
  /** An instance that the authority cannot reach. */
  readonly notFound: Product;
}

async function openGround(): Promise<Ground> {
  const [origin, redis] = await Promise.all([startRecordingOrigin(), startRedis()]);
  const [http, alpn, shared] = [
    await openPebble(12),
    await openPebble(DAY_S),
    await openPebble(DAY_S),
  ];
  await Promise.all([alpn.start(), shared.start()]);
  const store = { engine: 'redis', url: redis.url };
  const folder = await mkdtemp(join(tmpdir(), 'guard-acme-'));
  const diskStore = { engine: 'memory', path: folder };
  const freePorts = { gateway: 0, gateway_tls: 0 };
  const portsOfPebble = ({ httpPort, tlsPort }: Pebble) => ({
    gateway: httpPort,
    gateway_tls: tlsPort,
  });
  const [byHttp, byAlpn, notFound, ...sharing] = await Promise.all([
    start(origin, http, portsOfPebble(http)),
    start(origin, alpn, { gateway_tls: alpn.tlsPort }, { workers: 2, store: diskStore }),
    start(origin, alpn, freePorts),
    start(origin, shared, portsOfPebble(shared), { store }),
    start(origin, shared, freePorts, { store }),
  ]);
  const pebbles = { http, alpn, shared };
  return { origin, pebbles, redis, byHttp, byAlpn, folder, sharing, notFound };
}

function start(
  origin: RecordingOrigin,
  pebble: Pebble,
  { gateway, gateway_tls }: Listening,
  top: Readonly<Record<string, unknown>> = {},
): Promise<Product> {
  const rules = [{ name: 'open', match: {}, verdict: 'allow' }];
  const settings = productSettings(origin.url, { rules, site: { hosts: [HOST] } });
  return startProduct(
    {
      ...settings,
      listen: {
        ...(gateway === undefined ? {} : { gateway: `127.0.0.1:${gateway}` }),
        gateway_tls: `127.0.0.1:${gateway_tls}`,
        admin: '127.0.0.1:0',
      },
      tls: { acme: { email: `ops@${HOST}`, accept_terms: true, directory: pebble.directory } },
      store: { engine: 'memory', path: './store' },
      analytics: undefined,
      ...top,
    },
    { NODE_EXTRA_CA_CERTS: pebble.caFile },
  );
}

/** Connects to the https listener. Rejects with the code of the TLS alert. */
async function handshake({ addresses }: Product, alpn = 'http/1.1'): Promise<TLSSocket> {
  const { port } = new URL(addresses.gateway_tls);
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    servername: HOST,
    rejectUnauthorized: false,
    ALPNProtocols: [alpn],
  });
  await once(socket, 'secureConnect');
  return socket;
}

/** The certificate that visitors get. Undefined while Guard has no certificate. */
async function shownCertificate(product: Product) {
  try {
    const socket = await handshake(product);
    const { fingerprint256, subjectaltname, issuer } = socket.getPeerCertificate();
    socket.destroy();
    return { print: fingerprint256, name: subjectaltname, issuer: issuer.CN };
  } catch {
    return undefined;
  }
}

const untilShown = (product: Product, before?: string) =>
  poll(
    () => shownCertificate(product),
    (now) => now !== undefined && now.print !== before,
  );

async function metric({ addresses }: Product, name: string): Promise<number> {
  const { body } = await send(`${addresses.admin}/metrics`);
  const line = body.split('\n').find((one) => one.startsWith(name) && !one.startsWith('#'));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe.skipIf(!hasPebble || !hasRedis)('tls.acme', () => {
  let testGround: Ground;
  beforeAll(async () => {
    testGround = await openGround();
  });
  afterAll(async () => {
    const { origin, pebbles, redis, byHttp, folder, sharing, notFound } = testGround;
    const products = [byHttp, notFound, ...sharing];
    const ends = await Promise.all(products.map((product) => product.stop()));
    expect(ends).toEqual(products.map(() => 0));
    await Promise.all(Object.values(pebbles).map((pebble) => pebble.close()));
    await Promise.all([origin.close(), redis.stop(), rm(folder, { recursive: true })]);
  });

  describe('http-01 (RFC 8555 8.3), with the authority away at the start', () => {
    const ask = (path: string) =>
      send(`${testGround.byHttp.addresses.gateway}${path}`, { headers: { host: HOST } });

    test('Guard starts; https has no certificate; http is served, and not redirected', async () => {
      await expect(handshake(testGround.byHttp)).rejects.toMatchObject({
        code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
      });
      expect((await ask('/')).status).toBe(200);
      expect(await metric(testGround.byHttp, 'guard_certificates_awaited')).toBe(1);
      await poll(
        () => Promise.resolve(testGround.byHttp.log()),
        (log) => log.includes('certificate_not_issued'),
      );
      expect(testGround.byHttp.log()).toMatch(/"certificates_awaited","hosts":"shop\.example"/);
      expect(testGround.byHttp.log()).toMatch(/"certificate_not_issued".*ECONNREFUSED/);
    });

    test('when the authority answers, a certificate is issued and used without a restart', async () => {
      await testGround.pebbles.http.start();
      const now = await untilShown(testGround.byHttp);
      expect(now?.name).toBe(`DNS:${HOST}`);
      expect(now?.issuer).toMatch(/^Pebble/);
      expect(testGround.byHttp.log().match(/certificate_not_issued/g)).toHaveLength(1);
      expect(await metric(testGround.byHttp, 'guard_certificates_awaited')).toBe(0);
      expect(
        await metric(testGround.byHttp, 'guard_certificate_orders_total{outcome="issued"}'),
      ).toBe(1);
    });

    test('after that, http is redirected to https', async () => {
      const { status, headers } = await ask('/a?b');
      expect([status, headers['location']]).toEqual([308, `https://${HOST}/a?b`]);
    });

    test('a client that guesses a token gets the usual answer of the site', async () => {
      const requestsBefore = testGround.origin.arrivals.length;
      expect((await ask('/.well-known/acme-challenge/guess')).status).toBe(200);
      expect(testGround.origin.arrivals.length).toBe(requestsBefore + 1);
    });

    test('a client that asks for acme-tls/1 gets no certificate', async () => {
      await expect(handshake(testGround.byHttp, 'acme-tls/1')).rejects.toThrow();
    });

    test('keys are encrypted, in a file that only this user can read, and in no log', async () => {
      const file = join(testGround.byHttp.folder, 'store', 'acme.sealed');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const keptText = await readFile(file, 'utf8');
      expect(keptText).toMatch(/^[A-Za-z0-9+/=]+$/);
      expect(Buffer.from(keptText, 'base64').toString('latin1')).not.toContain('PRIVATE KEY');
      expect(testGround.byHttp.log()).not.toContain('PRIVATE KEY');
    });

    test('in the last third of its lifetime the certificate is replaced, and connections stay open', async () => {
      const keptCertificate = await handshake(testGround.byHttp);
      let answers = '';
      keptCertificate.setEncoding('latin1').on('data', (text: string) => (answers += text));
      const certificateBefore = await shownCertificate(testGround.byHttp);
      // Without requests the connection would be closed, because it is idle.
      const now = await poll(
        () => {
          keptCertificate.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
          return shownCertificate(testGround.byHttp);
        },
        (one) => one !== undefined && one.print !== certificateBefore?.print,
      );
      expect(now?.name).toBe(`DNS:${HOST}`);
      const answerCount = answers.length;
      keptCertificate.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
      await once(keptCertificate, 'close');
      expect(answers.slice(answerCount)).toMatch(/HTTP\/1\.1 200 /);
    });
  });

  describe('tls-alpn-01 (RFC 8737), where no plain gateway listens', () => {
    test('a certificate is issued, no matter which thread the authority reaches, and each thread uses it', async () => {
      const now = await untilShown(testGround.byAlpn);
      expect(now?.issuer).toMatch(/^Pebble/);
      // The other thread has the certificate a second later.
      const shownCertificates = () =>
        Promise.all(Array.from({ length: 8 }, () => shownCertificate(testGround.byAlpn)));
      await poll(shownCertificates, (certificates) =>
        certificates.every((one) => one?.print === now?.print),
      );
      expect(testGround.byAlpn.log()).not.toContain('certificate_not_issued');
    });

    test('after a restart the certificate is used at the first handshake, and no new certificate is ordered', async () => {
      const { origin, pebbles, folder, byAlpn } = testGround;
      const certificateBefore = await shownCertificate(byAlpn);
      expect(await byAlpn.stop()).toBe(0);
      const store = { engine: 'memory', path: folder };
      const restarted = await start(origin, pebbles.alpn, { gateway_tls: 0 }, { store });
      expect(await shownCertificate(restarted)).toEqual(certificateBefore);
      expect(await metric(restarted, 'guard_certificates_awaited')).toBe(0);
      expect(restarted.log()).not.toContain('certificates_awaited');
      expect(await restarted.stop()).toBe(0);
    });
  });

  describe('two instances with one Redis', () => {
    test('one instance orders the certificate, both use it, and its key in Redis is encrypted', async () => {
      const [one, other] = await Promise.all(
        testGround.sharing.map((product) => untilShown(product)),
      );
      expect(one?.issuer).toMatch(/^Pebble/);
      expect(other).toEqual(one);
      const orders = await Promise.all(
        testGround.sharing.map((product) => metric(product, 'guard_certificate_orders_total')),
      );
      expect(orders.toSorted()).toEqual([0, 1]);
      const storedText = await testGround.redis.ask<string>('GET', 'guard:1:text:acme');
      const sealedText = storedText.slice(storedText.indexOf('\n') + 1);
      expect(Buffer.from(sealedText, 'base64').toString('latin1')).not.toContain('PRIVATE');
    });
  });

  describe('a host for which the authority cannot reach Guard', () => {
    test('the log has the reason in the words of the authority', async () => {
      const log = await poll(
        () => Promise.resolve(testGround.notFound.log()),
        (text) => text.includes('certificate_not_issued'),
      );
      expect(log).toMatch(/"certificate_not_issued","host":"shop\.example","reason":".*refused/);
      expect(
        await metric(testGround.notFound, 'guard_certificate_orders_total{outcome="refused"}'),
      ).toBe(1);
    });
  });
});
