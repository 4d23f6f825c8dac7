import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { CatalogueCrawler } from '@guard/config/catalogue/crawlers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Resolver } from './forward-confirmed.ts';
import { createReverseDns, type ReverseDnsLimits } from './reverse-dns.ts';

const catalogue = CrawlerCatalogue.load();
const baidu = claimed('Baiduspider');
const yandex = claimed('YandexBot');
const IP = '180.76.15.5';

function claimed(userAgent: string): CatalogueCrawler {
  const crawler = catalogue.identify(userAgent);
  if (crawler === undefined) throw new Error(`no crawler is identified: ${userAgent}`);
  return crawler;
}

function failure(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(code), { code }));
}

/** A resolver with fixed answers, which counts its reverse look-ups. */
function resolverOf(changes: Partial<Resolver>): Resolver & { asked: number } {
  const resolver = {
    asked: 0,
    reverse: (ip: string) => {
      resolver.asked += 1;
      return (changes.reverse ?? failure('ENOTFOUND'))(ip);
    },
    resolve4: changes.resolve4 ?? failure('ENOTFOUND'),
    resolve6: changes.resolve6 ?? failure('ENOTFOUND'),
  };
  return resolver;
}

function named(name: string, address = IP): Partial<Resolver> {
  return { reverse: () => Promise.resolve([name]), resolve4: () => Promise.resolve([address]) };
}

function reverseDns(resolver: Resolver, limits: Partial<ReverseDnsLimits> = {}) {
  const time = { now: Date.UTC(2026, 10, 21) };
  const dns = createReverseDns({
    proofsOf: (crawler) => catalogue.proofsOf(crawler),
    resolver,
    clock: () => time.now,
    limits,
  });
  return { dns, time };
}

/** The standing of the second request from an address. */
async function second(changes: Partial<Resolver>, crawler = baidu, ip = IP) {
  const { dns } = reverseDns(resolverOf(changes));
  expect(dns.confirm(crawler, ip)).toBe('unverifiable');
  await dns.settled();
  return dns.confirm(crawler, ip);
}

test('a request never waits: the first request of an address is unverifiable, the next one has the answer', async () => {
  const resolver = resolverOf(named('baiduspider-180-76-15-5.crawl.baidu.com'));
  const { dns } = reverseDns(resolver);
  expect(dns.confirm(baidu, IP)).toBe('unverifiable');
  expect(dns.confirm(baidu, IP)).toBe('unverifiable');
  await dns.settled();
  expect(dns.confirm(baidu, IP)).toBe('verified');
  expect(resolver.asked).toBe(1);
});

describe('a name confirms a crawler', () => {
  test.each(['crawl.baidu.com', 'a.b.crawl.baidu.jp', 'A.Crawl.Baidu.COM.'])(
    'as %s',
    async (name) => {
      expect(await second(named(name))).toBe('verified');
    },
  );

  test('with an IPv6 address in any spelling of the name server', async () => {
    const ip = '2400:da00::1';
    const changes: Partial<Resolver> = {
      reverse: () => Promise.resolve(['x.crawl.baidu.com']),
      resolve6: () => Promise.resolve(['2400:da00:0:0:0:0:0:1']),
    };
    expect(await second(changes, baidu, ip)).toBe('verified');
  });

  test('when one of several names leads back to the address', async () => {
    const changes: Partial<Resolver> = {
      reverse: () => Promise.resolve(['host.example', 'x.crawl.baidu.com']),
      resolve4: (name) => Promise.resolve(name.endsWith('baidu.com') ? [IP] : []),
    };
    expect(await second(changes)).toBe('verified');
  });
});

describe('an impersonator, when the operator publishes only host names', () => {
  test.each([
    'crawl.baidu.com.evil.example',
    'evilcrawl.baidu.com.example',
    'notcrawl.baidu.com',
    'baidu.com',
    'host.example',
  ])('has the name %s', async (name) => {
    expect(await second(named(name))).toBe('impersonator');
  });

  test('has a name of the operator that leads to another address', async () => {
    expect(await second(named('x.crawl.baidu.com', '203.0.113.7'))).toBe('impersonator');
    const nowhere: Partial<Resolver> = { reverse: () => Promise.resolve(['x.crawl.baidu.com']) };
    expect(await second(nowhere)).toBe('impersonator');
  });

  test('has no name at all', async () => {
    expect(await second({ reverse: failure('ENOTFOUND') })).toBe('impersonator');
  });
});

test('when the operator publishes ranges too, a foreign name shows no impersonator, and the right name verifies', async () => {
  expect(await second(named('host.example'), yandex)).toBe('unverifiable');
  expect(await second(named('spider-1.yandex.com'), yandex)).toBe('verified');
});

describe('a failure of DNS makes no impersonator', () => {
  test.each(['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED', 'EREFUSED', 'ECANCELLED'])(
    'when the reverse look-up ends with %s',
    async (code) => {
      expect(await second({ reverse: failure(code) })).toBe('unverifiable');
    },
  );

  test('when the forward look-up fails', async () => {
    const changes: Partial<Resolver> = {
      ...named('x.crawl.baidu.com'),
      resolve4: failure('ESERVFAIL'),
    };
    expect(await second(changes)).toBe('unverifiable');
  });
});

test('no name is looked up for a crawler whose operator publishes none', () => {
  const resolver = resolverOf({});
  const { dns } = reverseDns(resolver);
  expect(dns.confirm(claimed('GPTBot'), IP)).toBe('unverifiable');
  expect(resolver.asked).toBe(0);
});

describe('time limits', () => {
  afterEach(() => vi.useRealTimers());

  test('a look-up that hangs ends at its time limit', async () => {
    vi.useFakeTimers();
    const { dns } = reverseDns(resolverOf({ reverse: () => new Promise(() => undefined) }), {
      timeoutMs: 5_000,
    });
    dns.confirm(baidu, IP);
    const settled = dns.settled();
    await vi.advanceTimersByTimeAsync(5_000);
    await settled;
    expect(dns.confirm(baidu, IP)).toBe('unverifiable');
  });

  test('an expired answer is looked up again, and meanwhile a confirmed answer counts', async () => {
    let over = named('x.crawl.baidu.com');
    const resolver = resolverOf({
      reverse: (ip) => (over.reverse ?? failure('ENOTFOUND'))(ip),
      resolve4: (name) => (over.resolve4 ?? failure('ENOTFOUND'))(name),
    });
    const ttlMs = { confirmed: 1_000, denied: 100, failed: 10 };
    const { dns, time } = reverseDns(resolver, { ttlMs });
    dns.confirm(baidu, IP);
    await dns.settled();
    time.now += 999;
    expect(dns.confirm(baidu, IP)).toBe('verified');
    expect(resolver.asked).toBe(1);

    over = named('host.example');
    time.now += 1;
    expect(dns.confirm(baidu, IP)).toBe('verified');
    await dns.settled();
    expect(dns.confirm(baidu, IP)).toBe('impersonator');
    time.now += 99;
    expect(dns.confirm(baidu, IP)).toBe('impersonator');
    expect(resolver.asked).toBe(2);

    over = { reverse: failure('ESERVFAIL') };
    time.now += 1;
    dns.confirm(baidu, IP);
    await dns.settled();
    expect(dns.confirm(baidu, IP)).toBe('unverifiable');
    time.now += 10;
    dns.confirm(baidu, IP);
    await dns.settled();
    expect(resolver.asked).toBe(4);
  });
});

describe('bounds', () => {
  test('questions: some run at once, some wait, and the rest are asked when the address comes again', async () => {
    let open: (() => void)[] = [];
    let most = 0;
    const resolver = resolverOf({
      reverse: () =>
        new Promise<string[]>((resolve) => {
          open.push(() => resolve(['host.example']));
          most = Math.max(most, open.length);
        }),
    });
    const { dns } = reverseDns(resolver, { maxConcurrent: 2, maxQueued: 3 });
    for (let host = 1; host <= 10; host += 1) dns.confirm(baidu, `198.18.0.${host}`);
    expect(resolver.asked).toBe(2);
    const settled = dns.settled();
    while (resolver.asked < 5 || open.length > 0) {
      const answers = open;
      open = [];
      for (const answer of answers) answer();
      await new Promise(setImmediate);
    }
    await settled;
    expect(most).toBe(2);
    expect(resolver.asked).toBe(5);
    expect(dns.confirm(baidu, '198.18.0.5')).toBe('impersonator');
    expect(dns.confirm(baidu, '198.18.0.6')).toBe('unverifiable');
    expect(resolver.asked).toBe(6);
  });

  test('one network whose name servers never answer does not take the places of a crawler', async () => {
    const silent = () => new Promise<string[]>(() => undefined);
    const resolver = resolverOf({
      ...named('x.crawl.baidu.com'),
      reverse: (ip) => (ip.includes(':') ? silent() : Promise.resolve(['x.crawl.baidu.com'])),
    });
    const { dns } = reverseDns(resolver, { timeoutMs: 20 });
    for (let host = 0; host < 300; host += 1) dns.confirm(baidu, `2001:470:1:${host}::1`);
    dns.confirm(baidu, IP);
    await dns.settled();
    expect(dns.confirm(baidu, IP)).toBe('verified');
    expect(resolver.asked).toBe(9);
  });

  test('answers: the answer unused longest is forgotten', async () => {
    const resolver = resolverOf({});
    const { dns } = reverseDns(resolver, { maxAnswers: 2 });
    for (const ip of ['198.18.0.1', '198.18.0.2', '198.18.0.3']) {
      dns.confirm(baidu, ip);
      await dns.settled();
    }
    expect(dns.confirm(baidu, '198.18.0.3')).toBe('impersonator');
    expect(dns.confirm(baidu, '198.18.0.1')).toBe('unverifiable');
  });
});
