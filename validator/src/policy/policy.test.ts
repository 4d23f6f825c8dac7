import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import {
  chromeHttps,
  curl,
  googlebot,
  GOOGLEBOT_IP,
  visit,
} from '../../../test/kit/visitors/visitors.ts';

const script = visit({ headers: { ...curl } });

describe('the default rule enforces nothing (contract 1.4)', () => {
  test('without a rule an impersonator passes, and the event shows that no rule decided', async () => {
    const { ask, events } = validatorWith('[]');
    const answer = await ask(visit({ headers: { ...googlebot } }));
    expect(answer).toMatchObject({ decision: 'allow', status_code: 200 });
    expect(answer).not.toHaveProperty('block_reasons');
    expect(events).toMatchObject([{ action: 'allow', decision: 'allow', rule: '' }]);
  });

  test('a rule that does not match changes nothing', async () => {
    const { ask } = validatorWith('[{ name: admin, match: { path: /admin/** }, verdict: block }]');
    expect((await ask(script)).decision).toBe('allow');
  });
});

describe('the first matching rule that sets a directive decides its value', () => {
  test('a block has the status that its rule sets', async () => {
    const { ask } = validatorWith(
      '[{ name: gone, match: { path: /old }, verdict: block, status: 451 }, { name: rest, match: {}, verdict: allow }]',
    );
    const answer = await ask(visit({ url: 'https://shop.example/old' }));
    expect(answer).toMatchObject({
      decision: 'block',
      status_code: 451,
      block_reasons: ['policy_block'],
      block_reason_categories: ['unknown'],
    });
    expect((await ask(visit())).decision).toBe('allow');
  });

  test('verdict: allow switches off detection and challenge for an address', async () => {
    const { ask } = validatorWith(
      '[{ name: office, match: { ip: 203.0.113.0/24 }, verdict: allow }, { name: rest, match: {}, detect: true, challenge: always }]',
    );
    expect((await ask({ ...script, ip: '203.0.113.9' })).decision).toBe('allow');
    expect((await ask(script)).decision).toBe('redirect');
  });

  test('detect: false in an earlier rule excludes a path from detection', async () => {
    const { ask } = validatorWith(
      '[{ name: feed, match: { path: /feed.xml }, detect: false }, { name: rest, match: {}, detect: true }]',
    );
    expect((await ask({ ...script, url: 'https://shop.example/feed.xml' })).decision).toBe('allow');
    expect((await ask(script)).decision).toBe('redirect');
  });

  test('with challenge: never an uncertain visitor passes, and is not blocked', async () => {
    const { ask } = validatorWith('[{ name: r, match: {}, detect: true, challenge: never }]');
    expect((await ask(script)).decision).toBe('allow');
    expect((await ask(visit({ headers: { ...googlebot } }))).decision).toBe('block');
  });

  test('challenge: always challenges a clean browser too', async () => {
    const { ask, events } = validatorWith('[{ name: r, match: {}, challenge: always }]');
    expect(await ask(visit())).toMatchObject({ decision: 'redirect', status_code: 403 });
    expect(events).toMatchObject([{ action: 'challenge', rule: 'r', challenge: 'issued' }]);
  });

  test('a visitor cannot evade a rule with another spelling of the path', async () => {
    const { ask } = validatorWith('[{ name: admin, match: { path: /admin/** }, verdict: block }]');
    for (const path of [
      '/admin',
      '//admin/',
      '/./admin',
      '/x/../admin',
      '/%61dmin',
      '/admin;x=1',
    ]) {
      const answer = await ask(visit({ url: `https://shop.example${path}` }));
      expect(answer.decision, path).toBe('block');
    }
  });

  test('a lenient rule applies only when it matches every reading of the path', async () => {
    const { ask } = validatorWith(`
- { name: feed, match: { path: /public/** }, verdict: allow }
- { name: not the shop, match: { not: { path: /shop/** } }, detect: false }
- { name: rest, match: {}, detect: true }`);
    const askForPath = (path: string) => ask({ ...script, url: `https://shop.example${path}` });
    expect((await askForPath('/public/feed.xml')).decision).toBe('allow');
    expect((await askForPath('/elsewhere')).decision).toBe('allow');
    expect((await askForPath('/shop/cart')).decision).toBe('redirect');
    for (const path of [
      '/public/../shop/cart',
      '/public/%2e%2e/shop/cart',
      '/public\\..\\shop\\cart',
      '//shop/cart',
      '/sho%70/cart',
      '/shop;x/cart',
    ]) {
      expect((await askForPath(path)).decision, path).toBe('redirect');
    }
  });

  test('all conditions must hold; any, all and not can be nested', async () => {
    const { ask } = validatorWith(`
- name: writes from scripts
  match:
    method: [POST, PUT]
    not: { session: verified }
    any: [{ header: { x-tool: "*bot*" } }, { user_agent: { regex: ^curl } }]
  verdict: block`);
    const post = { ...script, method: 'POST' };
    expect((await ask(post)).decision).toBe('block');
    expect((await ask(script)).decision).toBe('allow');
    expect((await ask(visit({ method: 'POST' }))).decision).toBe('allow');
    const tool = visit({ method: 'PUT', headers: { ...chromeHttps, 'x-tool': 'my bot 1' } });
    expect((await ask(tool)).decision).toBe('block');
  });

  test('a rule can match findings', async () => {
    const { ask } = validatorWith(
      '[{ name: tor, match: { category: suspicious_network }, verdict: block }]',
    );
    expect((await ask(visit({ ip: '3.5.140.2' }))).block_reasons).toContain('datacenter_ip');
    expect((await ask(visit())).decision).toBe('allow');
  });
});

describe('monitor mode (contract 1): blocks become allow, challenges stay', () => {
  const impostor = visit({ headers: { ...googlebot } });

  test('a lifted block does not lift the challenge of `challenge: always`', async () => {
    const { ask } = validatorWith(
      '[{ name: r, match: {}, detect: true, challenge: always, monitor: true }]',
    );
    const headless = visit({
      headers: {
        ...chromeHttps,
        'user-agent':
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/147.0.0.0 Safari/537.36',
      },
    });
    expect(await ask(headless)).toMatchObject({
      decision: 'redirect',
      block_reasons: expect.arrayContaining(['headless_user_agent']) as unknown,
    });
  });

  test('monitor: false does not disable monitor mode', async () => {
    const { ask } = validatorWith(
      '[{ name: a, match: {}, monitor: false, detect: true }, { name: b, match: {}, monitor: true }]',
    );
    expect((await ask(impostor)).decision).toBe('allow');
    const organisation = { monitor: true };
    const guardInMonitorMode = validatorWith(
      '[{ name: a, match: {}, monitor: false, detect: true }]',
      {
        organisation,
      },
    );
    expect((await guardInMonitorMode.ask(impostor)).decision).toBe('allow');
  });

  test('observe mode enforces nothing, sets no cookie, and records everything', async () => {
    const { ask, events } = validatorWith(
      '[{ name: r, match: {}, detect: true, challenge: always }]',
      {
        observe: true,
      },
    );
    const answer = await ask(impostor);
    expect(answer).toMatchObject({ decision: 'allow', block_reasons: ['crawler_impersonator'] });
    const second = await ask(script);
    expect(second.decision).toBe('allow');
    expect(second).not.toHaveProperty('cookies');
    expect(events).toMatchObject([
      { decision: 'block', action: 'allow', observe: true },
      { decision: 'challenge', action: 'allow', observe: true },
    ]);
  });
});

describe('rate limits (contract 1): an over-budget request is blocked with rate_limit_exceeded', () => {
  const rules =
    '[{ name: login, match: { path: /login, method: POST }, rate_limit: { requests: 3, per: 1m, by: ip } }]';
  const login = visit({ url: 'https://shop.example/login', method: 'POST' });

  test('another address has its own budget, and another path or method has no limit', async () => {
    const { ask } = validatorWith(rules);
    for (let i = 0; i < 4; i++) await ask(login);
    expect((await ask({ ...login, ip: '84.115.20.8' })).decision).toBe('allow');
    expect((await ask({ ...login, method: 'GET' })).decision).toBe('allow');
  });

  test('in monitor mode an over-budget request is allowed, and the response has the reason', async () => {
    const { ask } = validatorWith(
      '[{ name: l, match: {}, rate_limit: { requests: 1, per: 1m }, monitor: true }]',
    );
    await ask(login);
    const answer = await ask(login);
    expect(answer).toMatchObject({ decision: 'allow', block_reasons: ['rate_limit_exceeded'] });
    expect(answer).not.toHaveProperty('rate_limited');
  });
});

describe('the crawler allowlist is a built-in rule that runs last (contract 1.4)', () => {
  const real = visit({ headers: { ...googlebot }, ip: GOOGLEBOT_IP });

  test('a verified crawler on the list is not blocked or challenged', async () => {
    const { ask, events } = validatorWith(
      '[{ name: r, match: {}, detect: true, challenge: always }]',
    );
    expect(await ask(real)).toMatchObject({
      decision: 'allow',
      crawler: {
        name: 'Googlebot',
        access_allowed: true,
        category: 'Search Engine',
        rsl_category: 'search',
      },
    });
    expect(events).toMatchObject([{ rule: 'crawler allowlist', crawler: { verified: true } }]);
  });

  test('any rule of the settings can override the list', async () => {
    const { ask } = validatorWith(
      '[{ name: no google, match: { crawler: { name: Googlebot } }, verdict: block }]',
    );
    expect(await ask(real)).toMatchObject({
      decision: 'block',
      block_reasons: ['crawler_blocked'],
    });
  });

  test('a crawler that is not on the list is blocked, even with a proof', async () => {
    const { ask } = validatorWith('[{ name: r, match: {}, detect: true }]', {
      organisation: { crawler_allowlist: [] },
    });
    expect(await ask(real)).toMatchObject({
      decision: 'block',
      block_reasons: ['crawler_blocked'],
      crawler: { access_allowed: false },
    });
  });
});
