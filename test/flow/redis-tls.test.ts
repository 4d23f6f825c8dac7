import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionRoot } from '@guard/config/contract/session-root';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { freePort } from '../kit/free-port.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type RedisServer, startRedis } from '../kit/peers/redis-server.ts';
import { passAt } from '../kit/product/shared-store.ts';
import { startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasOpenssl, hasRedis } from '../kit/tools.ts';

/** These tests use `rediss://`: TLS to the store, with an account that has the documented permissions. */

const ACCOUNT = '+@connection +get +set +eval +evalsha +time +client|tracking'.split(' ');

describe.skipIf(!hasRedis || !hasOpenssl)('a Redis with TLS and accounts', () => {
  let folder: string;
  let origin: RecordingOrigin;
  let redis: RedisServer;
  let port: number;
  const certificate = () => join(folder, 'cert.pem');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guard-rediss-'));
    const { key, cert } = selfSigned('localhost');
    await writeFile(join(folder, 'key.pem'), key);
    await writeFile(certificate(), cert);
    origin = await startRecordingOrigin();
    port = await freePort();
    const files = ['--tls-cert-file', certificate(), '--tls-key-file', join(folder, 'key.pem')];
    const tls = ['--tls-port', `${port}`, '--tls-auth-clients', 'no', ...files];
    redis = await startRedis([...tls, '--tls-ca-cert-file', certificate()]);
    await redis.ask('ACL', 'SETUSER', 'guard', 'on', '>its:p%ss', '~guard:1:*', ...ACCOUNT);
  });
  afterAll(async () => {
    await redis.stop();
    await origin.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (env: Readonly<Record<string, string>>) => {
    const store = { engine: 'redis', url: `rediss://guard:its%3Ap%25ss@localhost:${port}` };
    const limit = { requests: 1_000, per: '1m', by: ['ip'] };
    const rules = [{ name: 'everybody', match: {}, rate_limit: limit, challenge: 'always' }];
    const settings = productSettings(origin.url, { rules, top: { store, analytics: undefined } });
    return startProduct(settings, env);
  };

  test('keeps the sessions of a Guard that trusts the certificate of Redis', async () => {
    const product = await start({ NODE_EXTRA_CA_CERTS: certificate() });
    const session = await passAt(product);
    expect(await redis.ask('EXISTS', `guard:1:session:${sessionRoot(session)}`)).toBe(1);
    expect(await metricOf(product, 'guard_store_away')).toBe(0);
    expect(product.log()).not.toContain('store_away');
    await product.stop();
  });

  test('is away for a Guard that does not trust the certificate, and the password is in no log', async () => {
    const product = await start({});
    expect(await metricOf(product, 'guard_store_away')).toBe(1);
    expect(product.log()).toContain('"reason":"DEPTH_ZERO_SELF_SIGNED_CERT"');
    expect(product.log()).not.toContain('p%ss');
    expect(product.log()).not.toContain('p%25ss');
    await product.stop();
  });
});
