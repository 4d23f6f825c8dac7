import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { main } from '../../cli/src/main.ts';
import { type EchoingOrigin, startEchoingOrigin } from '../kit/echoing-origin.ts';
import { send } from '../kit/http.ts';
import { forwardTo, startHttps } from '../kit/https-front.ts';
import { RIGHT_LINES, startNginx } from '../kit/nginx-in-front.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { ANALYTICS_KEY, storySettings } from '../kit/story-settings.ts';
import { hasNginx, hasOpenssl } from '../kit/tools.ts';

/** `guard doctor` with a started product: direct, behind a correct proxy, and behind proxies with one mistake each. */

/** An address of this machine that is not a trusted proxy. */
const VISITOR = '127.0.0.2';

let origin: EchoingOrigin;
let product: Product;

beforeAll(async () => {
  origin = await startEchoingOrigin();
  product = await startProduct(storySettings(origin.url));
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

interface CheckOutcome {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly advice: string;
}

interface Diagnosis {
  readonly code: number;
  readonly outcomes: readonly CheckOutcome[];
  /** State and message of one check. */
  of(check: string): string;
  /** Names of the checks in a state. */
  in(state: string): string[];
}

/** With a key doctor asks Guard what it saw. This takes until the events are written. */
const WITH_KEY = ['--key', ANALYTICS_KEY];

async function examine(url: string, ...more: readonly string[]): Promise<Diagnosis> {
  const { api, admin } = product.addresses;
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const args = ['doctor', url, '--json', '--api', api, '--admin', admin];
  try {
    const code = await main([...args, '--from', VISITOR, ...more]);
    const text = stdout.mock.calls.map(([part]) => String(part)).join('');
    const { findings: outcomes } = JSON.parse(text) as { findings: CheckOutcome[] };
    return {
      code,
      outcomes,
      of(check) {
        const outcome = outcomes.find((one) => one.check === check);
        return `${outcome?.state}: ${outcome?.found}`;
      },
      // The age of the bundled lists depends on the day of the test.
      in: (state) =>
        outcomes
          .filter((one) => one.state === state && one.check !== 'lists')
          .map(({ check }) => check),
    };
  } finally {
    stdout.mockRestore();
  }
}

/** The result of doctor behind an nginx with these lines. */
async function examineBehind(
  lines: readonly string[],
  {
    server = [],
    args = [],
  }: { readonly server?: readonly string[]; readonly args?: readonly string[] } = {},
): Promise<Diagnosis> {
  const nginx = await startNginx(product.addresses.gateway, { lines, server });
  onTestFinished(() => nginx.close());
  return examine(`${nginx.url}/shelf`, ...args);
}

test('doctor finds no problem with a Guard that visitors reach directly, and names what it cannot check', async () => {
  const args = ['--websocket', '/assets/live', ...WITH_KEY];
  const diagnosis = await examine(product.addresses.gateway, ...args);
  expect(diagnosis.in('problem')).toEqual([]);
  expect(diagnosis.in('warning')).toEqual([]);
  expect(diagnosis.in('unchecked')).toEqual(['site', 'certificate', 'https']);
  expect(diagnosis.of('client address')).toBe(`ok: Guard saw ${VISITOR}, which is this machine`);
  expect(diagnosis.of('websocket')).toBe('ok: a handshake is answered with 101');
  expect(diagnosis.code).toBe(0);
});

test('on a machine that is a trusted proxy, doctor says that it cannot check forged addresses', async () => {
  const config = `${product.folder}/guard.yaml`;
  const args = ['--config', config, '--from', '127.0.0.1', ...WITH_KEY];
  const diagnosis = await examine(product.addresses.gateway, ...args);
  expect(diagnosis.of('forged address')).toMatch(
    /^unchecked: this machine is one of trusted_proxies/,
  );
  expect(diagnosis.of('site')).toMatch(
    /^ok: 127\.0\.0\.1:\d+ is a site of the settings, and \/ is prot/,
  );
});

describe.skipIf(!hasNginx)('behind nginx', () => {
  test('with a correct configuration, doctor finds no problem', async () => {
    const diagnosis = await examineBehind(RIGHT_LINES, {
      args: ['--websocket', '/assets/live', ...WITH_KEY],
    });
    expect(diagnosis.in('problem')).toEqual([]);
    expect(diagnosis.in('warning')).toEqual([]);
    expect(diagnosis.of('websocket')).toBe('ok: a handshake is answered with 101');
    expect(diagnosis.code).toBe(0);
  });

  test('that caches a 403, all visitors get one challenge (contract 3: a challenge is for one session)', async () => {
    const diagnosis = await examineBehind([
      ...RIGHT_LINES,
      'proxy_cache kept; proxy_cache_key $uri; proxy_cache_valid any 1m;',
      'proxy_ignore_headers Cache-Control Set-Cookie Expires Vary;',
    ]);
    expect(diagnosis.of('caching')).toBe(
      'problem: a cache in front keeps challenge pages (the same page came twice)',
    );
    expect(diagnosis.code).toBe(1);
  });

  test.each([
    {
      wrong: 'takes Set-Cookie away (contract 4.1 rule 2)',
      lines: ['proxy_hide_header Set-Cookie;'],
      check: 'cookies',
      says: 'problem: the challenge page came without its _guard cookie',
    },
    {
      wrong: 'takes Cookie away (contract 3: caller drops the returned cookies)',
      lines: ['proxy_set_header Cookie "";'],
      check: 'cookies',
      says: 'problem: Guard gave a new session to a visitor who sent one',
    },
    {
      wrong: 'drops Max-Age (contract 2.3: breaks continuity across the challenge)',
      lines: [
        'proxy_hide_header Set-Cookie;',
        'add_header Set-Cookie "_guard=$request_id; Path=/" always;',
      ],
      check: 'cookies',
      says: 'warning: the _guard cookie has lost max-age, samesite',
    },
    {
      wrong: 'adds a Content-Security-Policy of its own (CSP 3: all policies hold)',
      lines: [`add_header Content-Security-Policy "default-src 'self'" always;`],
      check: 'policy',
      says: "problem: a second Content-Security-Policy was added: default-src 'self'",
    },
    {
      wrong: 'takes the Content-Security-Policy away (contract 3: it must be applied)',
      lines: ['proxy_hide_header Content-Security-Policy;'],
      check: 'policy',
      says: 'problem: the Content-Security-Policy of the challenge page is gone',
    },
    {
      wrong: 'adds a policy that stops nothing of the page',
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
      wrong: 'takes Cache-Control away',
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
      wrong: 'makes a 200 of a challenge (contract 3: serving it with status 200 is a mistake)',
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
      wrong: 'lets only GET through',
      lines: ['limit_except GET { deny all; }'],
      check: 'upload path',
      says: 'problem: POST /.guard/verify does not come to Guard: answered 403',
    },
    {
      wrong: 'shows visitors what the origin is told',
      lines: ['add_header X-Guard-Decision challenge always;'],
      check: 'inner headers',
      says: 'problem: visitors see x-guard-decision',
    },
  ])('that $wrong: $says', async ({ lines, server = [], args = [], check, says }) => {
    const guard = `set $guard ${product.addresses.gateway};`;
    const diagnosis = await examineBehind([...RIGHT_LINES, ...lines], {
      server: [guard, ...server],
      args,
    });
    expect(diagnosis.of(check)).toBe(says);
    expect(diagnosis.code).toBe(says.startsWith('problem') ? 1 : 0);
  });

  test('that sends no X-Forwarded-For, Guard takes every visitor for nginx (contract 2.1: ip, not the proxy)', async () => {
    const lines = RIGHT_LINES.filter((line) => !line.includes('X-Forwarded-For'));
    const diagnosis = await examineBehind([...lines, 'proxy_set_header X-Forwarded-For "";'], {
      args: WITH_KEY,
    });
    expect(diagnosis.of('client address')).toBe(
      `problem: Guard saw 127.0.0.1 with no X-Forwarded-For, and this machine is ${VISITOR}`,
    );
    expect(diagnosis.of('forged address')).toBe(
      'problem: Guard believed a Forwarded that doctor made up (192.0.2.77)',
    );
    expect(diagnosis.code).toBe(1);
  });

  test('when each of the two headers often came alone, doctor warns that Guard cannot know which one to believe', async () => {
    const { gateway } = product.addresses;
    const headers = { host: 'shop.example', forwarded: 'for=198.51.100.7' };
    for (let i = 0; i < 30; i++) await send(gateway, { headers });
    const diagnosis = await examineBehind(RIGHT_LINES, { args: WITH_KEY });
    expect(diagnosis.of('forged address')).toMatch(
      /^warning: X-Forwarded-For and Forwarded have named different visitors/,
    );
  });

  test('that passes X-Forwarded-For on as it came, visitors choose their address', async () => {
    const lines = RIGHT_LINES.filter((line) => !line.includes('X-Forwarded-For'));
    const diagnosis = await examineBehind(lines, { args: WITH_KEY });
    expect(diagnosis.of('forged address')).toBe(
      'problem: Guard believed an X-Forwarded-For that doctor made up (192.0.2.77)',
    );
  });

  test('on the machine of doctor, without trusted_proxies: the address of this machine is the proxy, and not the visitor', async () => {
    const usual = product;
    product = await startProduct(storySettings(origin.url, { top: { trusted_proxies: [] } }));
    onTestFinished(async () => {
      await product.stop();
      product = usual;
    });
    const config = join(product.folder, 'guard.yaml');
    const fromHere = ['--from', '127.0.0.1', ...WITH_KEY];
    const withSettings = await examineBehind(RIGHT_LINES, {
      args: [...fromHere, '--config', config],
    });
    expect(withSettings.of('client address')).toBe(
      'problem: Guard saw 127.0.0.1, which is this machine, and a proxy runs here too (X-Forwarded-For or Forwarded arrived); trusted_proxies is empty, so Guard takes the proxy for the visitor',
    );
    expect(withSettings.code).toBe(1);
    // Without the settings doctor does not know whether Guard believed the proxy.
    const unknown = await examineBehind(RIGHT_LINES, { args: fromHere });
    expect(unknown.of('client address')).toMatch(
      /^unchecked: Guard saw 127\.0\.0\.1, .* a proxy runs here too/,
    );
  });

  test('that passes no Upgrade on, a WebSocket cannot be opened (RFC 6455 4.1)', async () => {
    const lines = RIGHT_LINES.filter((line) => !/Upgrade|Connection/.test(line));
    const unprotectedPath = await examineBehind(lines, { args: ['--websocket', '/assets/live'] });
    expect(unprotectedPath.of('websocket')).toBe(
      'problem: a handshake is answered with 200 instead of 101',
    );
    const protectedPath = await examineBehind(lines, { args: WITH_KEY });
    expect(protectedPath.of('websocket')).toBe(
      'warning: a handshake loses its Upgrade header before it comes to Guard',
    );
    expect(protectedPath.code).toBe(0);
  });

  test('that redirects to the same URL, doctor finds the loop and makes no more requests', async () => {
    const countBefore = origin.exchanges.length;
    const diagnosis = await examineBehind(['return 302 $scheme://$http_host$request_uri;']);
    expect(diagnosis.of('reached')).toMatch(/^problem: a redirect loop: (\S+) → \1$/);
    // The database check needs the metrics page only.
    expect(diagnosis.in('ok')).toEqual(['database']);
    expect(diagnosis.code).toBe(1);
    expect(origin.exchanges).toHaveLength(countBefore);
  });
});

describe.skipIf(!hasOpenssl)('over https', () => {
  test('doctor finds a certificate that browsers do not trust, and still makes the other checks', async () => {
    const front = await startHttps(forwardTo(product.addresses.gateway));
    onTestFinished(() => front.close());
    const diagnosis = await examine(`https://127.0.0.1:${front.port}/`);
    expect(diagnosis.of('certificate')).toMatch(
      /^problem: browsers do not trust it: .*SELF_SIGNED/,
    );
    expect(diagnosis.of('scheme')).toBe('ok: Guard knows that it is https');
    expect(diagnosis.of('cookies')).toMatch(/^ok/);
    // This port has TLS only.
    expect(diagnosis.of('https')).toMatch(/^ok: over http there is no answer/);
  });
});
