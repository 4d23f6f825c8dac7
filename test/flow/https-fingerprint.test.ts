import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createGateway, type Gateway } from '@guard/gateway';
import { Site } from '@guard/config/settings/schema';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { handshakeOf } from '../kit/handshakes.ts';
import { launchPlain } from '../kit/plain-chromium.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { hasOpenssl } from '../kit/tools.ts';
import { type TestValidator, validatorWith } from '../kit/validator.ts';
import { chromeHttps } from '../kit/visitors.ts';

const run = promisify(execFile);
const TLS = 'tls_fingerprint_mismatch';
const HTTP2 = 'http2_fingerprint_mismatch';

interface Https {
  readonly port: number;
  readonly decided: TestValidator['events'];
  readonly gateway: Gateway;
}

/** The real gateway over https before the real validator, in this process. */
async function startHttps(origin: RecordingOrigin): Promise<Https> {
  const { validator, events } = validatorWith('[{ name: all, match: {}, detect: true }]');
  const settings = Site.parse({ hosts: ['*'], organisation: 'acme', origin: origin.url });
  const validate = validator.forOrganisation('acme');
  const gateway = createGateway({
    trustedProxies: [],
    observe: false,
    sites: [{ settings, validate, collect: validator.collect, validator: 'in-process' }],
    certificates: [selfSigned('shop.example', 'localhost')],
    events: { record: (event) => events.push(event) },
    clock: Date.now,
    log: () => undefined,
    metrics: { count: () => undefined, gauge: () => undefined },
  });
  const url = await gateway.listenTls({ kind: 'tcp', host: '127.0.0.1', port: 0 });
  return { port: Number(new URL(url).port), decided: events, gateway };
}

describe.skipIf(!hasOpenssl)('the handshake of the program behind the headers', () => {
  let origin: RecordingOrigin;
  let https: Https;
  beforeAll(async () => {
    origin = await startRecordingOrigin();
    https = await startHttps(origin);
  });
  afterAll(async () => {
    await https.gateway.close();
    await origin.close();
  });

  const asChrome = Object.entries(chromeHttps)
    .filter(([name]) => name !== 'host' && name !== 'connection')
    .flatMap(([name, value]) => ['-H', `${name}: ${value}`]);

  test.each([
    ['--http2', [TLS, HTTP2]],
    ['--http1.1', [TLS]],
  ])(
    'curl %s with every header of Chrome is challenged for its handshake',
    async (version, reasons) => {
      const { port, decided } = https;
      const at = [`https://shop.example:${port}/`, '--resolve', `shop.example:${port}:127.0.0.1`];
      const status = ['-o', '/dev/null', '-w', '%{http_code}'];
      const { stdout } = await run('curl', [
        '-sk',
        '--compressed',
        version,
        ...status,
        ...asChrome,
        ...at,
      ]);
      expect(stdout).toBe('403');
      const event = decided.at(-1);
      expect(event?.action).toBe('challenge');
      expect(event?.blockReasons).toEqual(expect.arrayContaining(reasons));
      expect(event?.ja4).toMatch(/^t13d\d{4}h[12]_/);
      expect(event?.http2 === '').toBe(version === '--http1.1');
    },
  );

  test("Chromium's own handshake is Chromium's: no finding, over HTTP/2", async () => {
    const browser: Browser = await launchPlain();
    onTestFinished(() => browser.close());
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    await page.goto(`https://localhost:${https.port}/chromium`);
    const event = https.decided.find(({ path }) => path === '/chromium');
    expect(event?.blockReasons).not.toContain(TLS);
    expect(event?.blockReasons).not.toContain(HTTP2);
    const [, ciphers] = handshakeOf('Chromium 156').facts.hello?.ja4.split('_') ?? [];
    expect(event?.ja4?.split('_')[1]).toBe(ciphers);
    expect(event?.http2).toBe(handshakeOf('Chromium 156').facts.http2?.fingerprint);
  });
});
