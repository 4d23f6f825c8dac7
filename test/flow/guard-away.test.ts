import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EchoingOrigin, startEchoingOrigin } from '../kit/origins/echoing-origin.ts';
import { poll, send } from '../kit/http.ts';
import { startNginxWith } from '../kit/peers/nginx-in-front.ts';
import { type PeerProxy, startPeer } from '../kit/peers/peer-proxy.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { openSwitched, type Presence } from '../kit/origins/switched-server.ts';
import { hasCaddy, hasHaproxy, hasNginx } from '../kit/tools.ts';

/**
 * These tests check the answers to visitors while Guard is silent, while it refuses connections, and when it is back.
 * The proxies use the files of examples/forward-auth/ and docs/guide. Each file is tried unchanged, and with the change
 * that it describes.
 */

let origin: EchoingOrigin;
let product: Product;
beforeAll(async () => {
  origin = await startEchoingOrigin();
  const rules = [
    { name: 'open', match: { path: '/open/**' }, verdict: 'allow' },
    { name: 'closed', match: {}, verdict: 'block', status: 451 },
  ];
  product = await startProduct({
    ...productSettings(origin.url, { rules }),
    listen: { gateway: '127.0.0.1:0', forward_auth: '127.0.0.1:0' },
    analytics: undefined,
  });
});
afterAll(async () => {
  expect(await product.stop()).toBe(0);
  await origin.close();
});

const keepConfig = (config: string): string => config;
const withoutErrorPage = (config: string): string =>
  config.replace('error_page 502 504 = @guard_away;', '');
/** Removes the # of the lines after the comment about a Guard that is away. */
const uncommentLines = (config: string): string =>
  config.replace(/(?<=while Guard is away, remove the # from .*\n)(?:[ \t]*# .*\n)+/, (lines) =>
    lines.replaceAll('# ', ''),
  );

/** The expected status while Guard is silent, and while it refuses connections. Status 200 comes from the site. */
type WhileAway = readonly [silent: number, refusing: number];
const OPEN: WhileAway = [200, 200];
const CASES: readonly [PeerProxy, string, (config: string) => string, WhileAway][] = [
  ['nginx', 'as its example is', keepConfig, OPEN],
  ['nginx', 'without its error_page', withoutErrorPage, [500, 500]],
  ['haproxy', 'as its example is', keepConfig, OPEN],
  ['haproxy', 'with the line that denies', uncommentLines, [503, 503]],
  ['caddy', 'as its example is', keepConfig, [504, 502]],
  ['caddy', 'with the lines that pass', uncommentLines, OPEN],
];

/** One second for the question, and a reserve for a busy machine. */
const PROMPT_MS = 1_900;

/** Sends one POST with forged header fields of Guard. Returns the answer and the requests that the site got. */
async function visit(url: string) {
  const countBefore = origin.exchanges.length;
  const startedAt = Date.now();
  const headers = { 'X-Guard-Decision': 'forged', 'X-Guard-Session': 'forged' };
  const { status } = await send(url, { method: 'POST', headers, body: 'a=1' });
  const tookMs = Date.now() - startedAt;
  const arrivals = origin.exchanges
    .slice(countBefore)
    .filter((exchange) => exchange.url === new URL(url).pathname)
    .map(({ headers: head, body }) => [head['x-guard-decision'], head['x-guard-session'], body]);
  return { status, arrived: arrivals, tookMs };
}
const PASSED_UNASKED = [['fail_open', undefined, 'a=1']];

describe.skipIf(!hasNginx || !hasHaproxy || !hasCaddy)('while Guard is away', () => {
  test.concurrent.each(CASES)(
    '%s %s answers within about a second, open or closed (contract 7.1), and asks again when Guard is back',
    async (name, way, edit, [silent, refusing]) => {
      const guard = await openSwitched(product.addresses.forward_auth);
      const proxy = await startPeer(name, { guard: guard.url, site: origin.url }, edit);
      const url = `${proxy.url}/${name}/${way.replaceAll(' ', '-')}`;
      const setAndWait = async (presence: Presence, status: number) => {
        await guard.setPresence(presence);
        const { arrived } = await poll(
          () => visit(url),
          (answer) => answer.status === status && answer.tookMs < PROMPT_MS,
        );
        expect([presence, arrived]).toEqual([presence, status === 200 ? PASSED_UNASKED : []]);
      };
      try {
        await setAndWait('there', 451);
        await setAndWait('silent', silent);
        await setAndWait('refusing', refusing);
        await setAndWait('there', 451);
      } finally {
        await proxy.close();
        await guard.close();
      }
    },
  );
});

/** The lines for nginx from the guide, without https, and with the addresses of this test. */
function frontLines(guard: string, port: number): string {
  const file = join(import.meta.dirname, '../../docs/guide/protect-a-site.md');
  const [, lines = ''] =
    /\n### nginx\n\n```nginx\n(.*?)```/s.exec(readFileSync(file, 'utf8')) ?? [];
  return lines
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/ *ssl_certificate.*\n/g, '')
    .replace('127.0.0.1:8080', new URL(guard).host)
    .replace('127.0.0.1:3000', new URL(origin.url).host);
}

describe.skipIf(!hasNginx)('nginx in front of the gateway, while Guard refuses connections', () => {
  test.concurrent.each([
    ['with the lines of the guide', '/open/1', keepConfig, 502, []],
    ['with the line that lets visitors pass', '/open/2', uncommentLines, 200, PASSED_UNASKED],
  ] as const)(
    '%s: nginx answers at once, and asks again when Guard is back',
    async (_how, path, edit, status, arrived) => {
      const guard = await openSwitched(product.addresses.gateway);
      const proxy = await startNginxWith((port) => edit(frontLines(guard.url, port)));
      try {
        expect(await visit(proxy.url + path)).toMatchObject({ status, arrived });
        await guard.setPresence('there');
        const answer = await visit(proxy.url + path);
        expect(answer.status).toBe(200);
        expect(answer.arrived).toEqual([['allow', expect.not.stringMatching('forged'), 'a=1']]);
      } finally {
        await proxy.close();
        await guard.close();
      }
    },
  );
});
