import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { examine, examineBehindNginx, VISITOR_ADDRESS, WITH_KEY } from '../kit/product/doctor.ts';
import { type EchoingOrigin, startEchoingOrigin } from '../kit/origins/echoing-origin.ts';
import { forwardTo, startHttps } from '../kit/peers/https-front.ts';
import { startPeer } from '../kit/peers/peer-proxy.ts';
import { RIGHT_LINES } from '../kit/peers/nginx-in-front.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasNginx, hasOpenssl } from '../kit/tools.ts';

/**
 * These tests run `guard doctor` with a started product: direct, behind a correct proxy, and behind proxies that each
 * have one mistake.
 */

let origin: EchoingOrigin;
let product: Product;

beforeAll(async () => {
  origin = await startEchoingOrigin();
  product = await startProduct(productSettings(origin.url));
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

test('doctor finds no problem with a Guard that visitors reach directly, and names what it cannot check', async () => {
  const args = ['--websocket', '/assets/live', ...WITH_KEY];
  const diagnosis = await examine(product, product.addresses.gateway, ...args);
  expect(diagnosis.in('problem')).toEqual([]);
  expect(diagnosis.in('warning')).toEqual([]);
  expect(diagnosis.in('unchecked')).toEqual(['site', 'certificate', 'https']);
  expect(diagnosis.outcomeOf('client address')).toBe(
    `ok: Guard saw ${VISITOR_ADDRESS}, which is this machine`,
  );
  expect(diagnosis.outcomeOf('websocket')).toBe('ok: a handshake is answered with 101');
  expect(diagnosis.code).toBe(0);
});

describe.skipIf(!hasNginx)('behind nginx', () => {
  test('with a correct configuration, doctor finds no problem', async () => {
    const diagnosis = await examineBehindNginx(product, RIGHT_LINES, {
      args: ['--websocket', '/assets/live', ...WITH_KEY],
    });
    expect(diagnosis.in('problem')).toEqual([]);
    expect(diagnosis.in('warning')).toEqual([]);
    expect(diagnosis.outcomeOf('websocket')).toBe('ok: a handshake is answered with 101');
    expect(diagnosis.code).toBe(0);
  });

  test('that caches a 403, all visitors get the same challenge (contract 3: a challenge is for one session)', async () => {
    const diagnosis = await examineBehindNginx(product, [
      ...RIGHT_LINES,
      'proxy_cache kept; proxy_cache_key $uri; proxy_cache_valid any 1m;',
      'proxy_ignore_headers Cache-Control Set-Cookie Expires Vary;',
    ]);
    expect(diagnosis.outcomeOf('caching')).toBe(
      'problem: a cache in front keeps challenge pages (the same page came twice)',
    );
    expect(diagnosis.code).toBe(1);
  });

  test.each([
    {
      wrong: 'removes Set-Cookie (contract 4.1 rule 2)',
      lines: ['proxy_hide_header Set-Cookie;'],
      check: 'cookies',
      says: 'problem: the challenge page came without its _guard cookie',
    },
    {
      wrong: 'removes Cookie (contract 3: caller drops the returned cookies)',
      lines: ['proxy_set_header Cookie "";'],
      check: 'cookies',
      says: 'problem: Guard gave a new session to a visitor who sent one',
    },
    {
      wrong: 'removes Max-Age (contract 2.3: breaks continuity across the challenge)',
      lines: [
        'proxy_hide_header Set-Cookie;',
        'add_header Set-Cookie "_guard=$request_id; Path=/" always;',
      ],
      check: 'cookies',
      says: 'warning: the _guard cookie has lost max-age, samesite',
    },
    {
      wrong: 'adds its own Content-Security-Policy (CSP 3: all policies apply)',
      lines: [`add_header Content-Security-Policy "default-src 'self'" always;`],
      check: 'policy',
      says: "problem: a second Content-Security-Policy was added: default-src 'self'",
    },
    {
      wrong: 'removes the Content-Security-Policy (contract 3: it must be applied)',
      lines: ['proxy_hide_header Content-Security-Policy;'],
      check: 'policy',
      says: 'problem: the Content-Security-Policy of the challenge page is gone',
    },
    {
      wrong: 'adds a policy that allows everything in the page',
      lines: ['add_header Content-Security-Policy "upgrade-insecure-requests" always;'],
      check: 'policy',
      says: 'ok: the policy of the page arrives, and nothing narrows it',
    },
    {
      wrong: 'puts a script into pages',
      lines: [
        'proxy_set_header Accept-Encoding "";',
        `sub_filter '</body>' '<script src="/count.js"></script></body>';`,
      ],
      check: 'page',
      says: 'problem: the page was changed on the way: it has <script src="/count.js">',
    },
    {
      wrong: 'removes Cache-Control',
      lines: ['proxy_hide_header Cache-Control;'],
      check: 'caching',
      says: 'warning: Cache-Control is gone',
    },
    {
      wrong: 'shows its own page instead of a 403',
      lines: ['proxy_intercept_errors on; error_page 403 /sorry;'],
      server: ['location = /sorry { internal; return 403 "Sorry."; }'],
      args: WITH_KEY,
      check: 'challenge status',
      says: 'problem: Guard sent a challenge, and another page arrived (status 403)',
    },
    {
      wrong:
        'sends a challenge with status 200 (contract 3: serving it with status 200 is a mistake)',
      lines: ['proxy_intercept_errors on; error_page 403 =200 @again;'],
      server: ['location @again { proxy_pass $guard; proxy_set_header Host $http_host; }'],
      check: 'challenge status',
      says: 'problem: a challenge comes with 200',
    },
    {
      wrong: 'answers /.guard/ itself',
      lines: [],
      server: ['location /.guard/ { return 404; }'],
      check: 'upload path',
      says: 'problem: /.guard/verify does not lead to Guard: answered 404',
    },
    {
      wrong: 'passes only GET on',
      lines: ['limit_except GET { deny all; }'],
      check: 'upload path',
      says: 'problem: POST /.guard/verify does not come to Guard: answered 403',
    },
    {
      wrong: 'sends visitors the header fields that are for the origin',
      lines: ['add_header X-Guard-Decision challenge always;'],
      check: 'inner headers',
      says: 'problem: visitors see x-guard-decision',
    },
  ])('that $wrong: $says', async ({ lines, server = [], args = [], check, says }) => {
    const guard = `set $guard ${product.addresses.gateway};`;
    const diagnosis = await examineBehindNginx(product, [...RIGHT_LINES, ...lines], {
      server: [guard, ...server],
      args,
    });
    expect(diagnosis.outcomeOf(check)).toBe(says);
    expect(diagnosis.code).toBe(says.startsWith('problem') ? 1 : 0);
  });

  test('that does not pass Upgrade on, a WebSocket cannot be opened (RFC 6455 4.1)', async () => {
    const lines = RIGHT_LINES.filter((line) => !/Upgrade|Connection/.test(line));
    const unprotectedPath = await examineBehindNginx(product, lines, {
      args: ['--websocket', '/assets/live'],
    });
    expect(unprotectedPath.outcomeOf('websocket')).toBe(
      'problem: a handshake is answered with 200 instead of 101',
    );
    const protectedPath = await examineBehindNginx(product, lines, { args: WITH_KEY });
    expect(protectedPath.outcomeOf('websocket')).toBe(
      'warning: a handshake loses its Upgrade header before it comes to Guard',
    );
    expect(protectedPath.code).toBe(0);
  });

  test('with forward-auth, a question without Upgrade says nothing about WebSockets, because nginx removes the field', async () => {
    const settings = productSettings(origin.url);
    const listen = { forward_auth: '127.0.0.1:0', api: '127.0.0.1:0', admin: '127.0.0.1:0' };
    const asked = await startProduct({ ...settings, listen });
    onTestFinished(() => asked.stop().then(() => undefined));
    const proxy = await startPeer('nginx', {
      guard: asked.addresses.forward_auth,
      site: origin.url,
    });
    onTestFinished(() => proxy.close());
    const config = ['--config', join(asked.folder, 'guard.yaml')];
    const diagnosis = await examine(asked, `${proxy.url}/shelf`, ...config, ...WITH_KEY);
    expect(diagnosis.outcomeOf('websocket')).toBe(
      'unchecked: your proxy asks Guard about requests, and keeps the connection to the site itself',
    );
    expect(diagnosis.in('warning')).toEqual([]);
  });

  test('that redirects to the same URL, doctor finds the loop and makes no more requests', async () => {
    const countBefore = origin.exchanges.length;
    const diagnosis = await examineBehindNginx(product, [
      'return 302 $scheme://$http_host$request_uri;',
    ]);
    expect(diagnosis.outcomeOf('reached')).toMatch(/^problem: a redirect loop: (\S+) → \1$/);
    // The check of the database needs only the metrics page.
    expect(diagnosis.in('ok')).toEqual(['database']);
    expect(diagnosis.code).toBe(1);
    expect(origin.exchanges).toHaveLength(countBefore);
  });
});

describe.skipIf(!hasOpenssl)('over https', () => {
  test('doctor finds a certificate that browsers do not trust, and makes the other checks too', async () => {
    const front = await startHttps(forwardTo(product.addresses.gateway));
    onTestFinished(() => front.close());
    const diagnosis = await examine(product, `https://127.0.0.1:${front.port}/`);
    expect(diagnosis.outcomeOf('certificate')).toMatch(
      /^problem: browsers do not trust it: .*SELF_SIGNED/,
    );
    expect(diagnosis.outcomeOf('scheme')).toBe('ok: Guard knows that it is https');
    expect(diagnosis.outcomeOf('cookies')).toMatch(/^ok/);
    // This port accepts only TLS.
    expect(diagnosis.outcomeOf('https')).toMatch(/^ok: over http there is no answer/);
  });
});
