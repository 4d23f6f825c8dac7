import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { type LocalGateway, startGateway } from '../kit/product/gateway.ts';
import { handshakeOf } from '../kit/browsers/handshakes.ts';
import { launchPlain } from '../kit/browsers/plain-chromium.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { hasOpenssl } from '../kit/tools.ts';
import { validatorWith } from '../kit/product/validator.ts';
import { chromeHttps } from '../kit/visitors/visitors.ts';

const run = promisify(execFile);
const TLS = 'tls_fingerprint_mismatch';
const HTTP2 = 'http2_fingerprint_mismatch';

describe.skipIf(!hasOpenssl)('the TLS and HTTP/2 handshake of a client', () => {
  const guard = validatorWith('[{ name: all, match: {}, detect: true }]');
  let origin: RecordingOrigin;
  let gateway: LocalGateway;
  beforeAll(async () => {
    origin = await startRecordingOrigin();
    const certificate = selfSigned('shop.example', 'localhost');
    gateway = await startGateway(guard, { origin: origin.url, certificate });
  });
  afterAll(async () => {
    await gateway.close();
    await origin.close();
  });

  const chromeOptions = Object.entries(chromeHttps)
    .filter(([name]) => name !== 'host' && name !== 'connection')
    .flatMap(([name, value]) => ['-H', `${name}: ${value}`]);

  test.each([
    ['--http2', [TLS, HTTP2]],
    ['--http1.1', [TLS]],
  ])(
    'of curl %s with all header fields of Chrome leads to a challenge',
    async (version, reasons) => {
      const { port } = new URL(gateway.https);
      const curlTarget = [
        `https://shop.example:${port}/`,
        '--resolve',
        `shop.example:${port}:127.0.0.1`,
      ];
      const status = ['-o', '/dev/null', '-w', '%{http_code}'];
      const { stdout } = await run('curl', [
        '-sk',
        '--compressed',
        version,
        ...status,
        ...chromeOptions,
        ...curlTarget,
      ]);
      expect(stdout).toBe('403');
      const event = guard.events.at(-1);
      expect(event?.action).toBe('challenge');
      expect(event?.blockReasons).toEqual(expect.arrayContaining(reasons));
      expect(event?.ja4).toMatch(/^t13d\d{4}h[12]_/);
      expect(event?.http2 === '').toBe(version === '--http1.1');
    },
  );

  test('of Chromium over HTTP/2 leads to no finding', async () => {
    const browser: Browser = await launchPlain();
    onTestFinished(() => browser.close());
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    await page.goto(`${gateway.https.replace('127.0.0.1', 'localhost')}/chromium`);
    const event = guard.events.find(({ path }) => path === '/chromium');
    expect(event?.blockReasons).not.toContain(TLS);
    expect(event?.blockReasons).not.toContain(HTTP2);
    const [, ciphers] = handshakeOf('Chromium 156').facts.hello?.ja4.split('_') ?? [];
    expect(event?.ja4?.split('_')[1]).toBe(ciphers);
    expect(event?.http2).toBe(handshakeOf('Chromium 156').facts.http2?.fingerprint);
  });
});
