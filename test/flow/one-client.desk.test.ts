import { X509Certificate } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { isFirst } from '../../validator/src/session/session-value.ts';
import { type DeskBrowser, deskChromium, deskFirefox } from '../kit/browsers/desk-browsers.ts';
import { type LocalGateway, startGateway } from '../kit/product/gateway.ts';
import { poll } from '../kit/http.ts';
import { serve } from '../kit/serve.ts';
import { hasDesk, hasFirefox, hasWindowedChromium } from '../kit/tools.ts';
import { useDesk } from '../kit/browsers/use-desk.ts';
import { type TestValidator, validatorWith } from '../kit/product/validator.ts';
import { EVERY_KIND } from './every-kind-of-request.ts';

/**
 * These tests check that a browser has the same client class in each kind of request
 * (validator/src/request/client-class.ts). `npm run eval -- people` runs them.
 */

const BROWSER_MS = 60_000;
const NAME = 'shop.example';

const certificate = selfSigned('localhost');
/**
 * The time by which the clock moves with these pages: first the session gets a new value, and then the old value ends.
 */
const LATER: ReadonlyMap<string, number> = new Map([
  ['/walk-1', 16 * 60_000],
  ['/walk-3', 2 * 60_000],
]);
let aheadMs = 0;
let guard: TestValidator;
let gateway: LocalGateway;

beforeAll(async () => {
  const origin = await serve((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    aheadMs += LATER.get(path) ?? 0;
    const page = ['text/html', '<!doctype html><title>Part</title>'] as const;
    const [type, text] = EVERY_KIND.get(path) ?? page;
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  }, afterAll);
  guard = validatorWith('[{ name: all, match: {}, detect: true, challenge: always }]');
  Object.defineProperty(guard.time, 'now', { get: () => Date.now() + aheadMs });
  gateway = await startGateway(guard, { origin, certificate });
});

afterAll(() => gateway.close());

/** Accepts the certificate of this test, and resolves its host name to this machine. */
const chromiumHere: DeskBrowser = {
  ...deskChromium,
  prepare: async (profile) => [
    ...(await deskChromium.prepare(profile)),
    '--ignore-certificate-errors',
    `--host-resolver-rules=MAP ${NAME} 127.0.0.1`,
  ],
};
const firefoxHere: DeskBrowser = {
  ...deskFirefox,
  async prepare(profile) {
    const args = await deskFirefox.prepare(profile);
    const { fingerprint256 } = new X509Certificate(certificate.cert);
    const place = `localhost:${new URL(gateway.https).port}:`;
    const line = `${place}\tOID.2.16.840.1.101.3.4.2.1\t${fingerprint256}\t\n`;
    await writeFile(join(profile, 'cert_override.txt'), line);
    await appendFile(
      join(profile, 'user.js'),
      `\nuser_pref("network.dns.localDomains", "${NAME}");\n`,
    );
    return args;
  },
};

/**
 * Only in a secure context browsers support service workers and send the kind of request (Sec-Fetch-Dest).
 */
const PLACES = [
  { scheme: 'http', host: 'localhost', isSecure: true },
  { scheme: 'https', host: 'localhost', isSecure: true },
  { scheme: 'http', host: NAME, isSecure: false },
] as const;

const KINDS = [
  '/fetch-html',
  '/xhr-html',
  '/socket',
  '/film.mp4',
  '/in-worker',
  '/posted',
  '/walk-3',
];

describe.skipIf(!hasDesk)(
  'passes once, for all kinds of requests',
  () => {
    const { open } = useDesk();

    async function visit(browser: DeskBrowser, place: (typeof PLACES)[number]): Promise<void> {
      const { scheme, host, isSecure } = place;
      guard.events.length = 0;
      aheadMs += 25 * 3_600_000;
      const { port } = new URL(gateway[scheme]);
      await open(browser, { urls: [`${scheme}://${host}:${port}/`] });
      await poll(
        () => Promise.resolve(guard.events.some(({ path }) => path === '/done')),
        (isDone) => isDone,
        BROWSER_MS,
      );
      const { events } = guard;
      const passedIndex = events.findIndex(({ challenge }) => challenge === 'verified');
      expect(passedIndex).toBeGreaterThan(0);
      const laterChallenges = events
        .slice(passedIndex)
        .filter(({ challenge }) => challenge !== 'verified');
      expect(laterChallenges.map(({ path, blockReasons }) => [path, blockReasons])).toEqual([]);
      const seenPaths = new Set(events.map(({ path }) => path));
      for (const path of KINDS) expect(seenPaths).toContain(path);
      expect(seenPaths.has('/behind-service')).toBe(isSecure);
      expect(new Set(events.slice(passedIndex).map(({ session }) => session)).size).toBe(1);
      const newest = [...guard.store.sessions()].map(([, session]) => session.newest ?? '');
      expect(newest.map(isFirst)).toEqual([false]);
    }

    test.skipIf(!hasWindowedChromium).each(PLACES)('Chromium, $scheme://$host', (place) =>
      visit(chromiumHere, place),
    );
    test.skipIf(!hasFirefox).each(PLACES)('Firefox, $scheme://$host', (place) =>
      visit(firefoxHere, place),
    );
  },
  BROWSER_MS * 2,
);
