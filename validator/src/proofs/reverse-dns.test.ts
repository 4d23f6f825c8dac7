import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { CatalogueCrawler } from '@guard/config/catalogue/crawlers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Resolver } from './forward-confirmed.ts';
import { createReverseDns, type ReverseDnsLimits } from './reverse-dns.ts';

const catalogue = CrawlerCatalogue.load();
const baidu = crawlerOf('Baiduspider');
const yandex = crawlerOf('YandexBot');
const IP = '180.76.15.5';

function crawlerOf(userAgent: string): CatalogueCrawler {
  const crawler = catalogue.identify(userAgent);
  if (crawler === undefined) throw new Error(`no crawler is identified: ${userAgent}`);
  return crawler;
}

function failWith(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(code), { code }));
}

/** A resolver with fixed answers, which counts its reverse look-ups. */
function resolverOf(changes: Partial<Resolver>): Resolver & { lookupCount: number } {
  const resolver = {
    lookupCount: 0,
    reverse: (ip: string) => {
      resolver.lookupCount += 1;
      return (changes.reverse ?? failWith('ENOTFOUND'))(ip);
    },
    resolve4: changes.resolve4 ?? failWith('ENOTFOUND'),
    resolve6: changes.resolve6 ?? failWith('ENOTFOUND'),
  };
  return resolver;
}

function resolveTo(name: string, address = IP): Partial<Resolver> {
  return { reverse: () => Promise.resolve([name]), resolve4: () => Promise.resolve([address]) };
}

function createTestDns(resolver: Resolver, limits: Partial<ReverseDnsLimits> = {}) {
  const time = { now: Date.UTC(2026, 10, 21) };
  const reverseDns = createReverseDns({ resolver, clock: () => time.now, limits });
  const dns = {
    confirm: (crawler: CatalogueCrawler, ip: string) =>
      reverseDns.confirm(crawler, ip, catalogue.proofsOf(crawler)),
    settled: () => reverseDns.settled(),
  };
  return { dns, time };
}

/** The result for the second request from an address. */
async function secondStanding(changes: Partial<Resolver>, crawler = baidu, ip = IP) {
  const { dns } = createTestDns(resolverOf(changes));
  expect(dns.confirm(crawler, ip)).toBe('unverifiable');
  await dns.settled();
  return dns.confirm(crawler, ip);
}

test('a request never waits: the first request of an address is unverifiable, and the next request gets the answer', async () => {
  const resolver = resolverOf(resolveTo('baiduspider-180-76-15-5.crawl.baidu.com'));
  const { dns } = createTestDns(resolver);
  expect(dns.confirm(baidu, IP)).toBe('unverifiable');
  expect(dns.confirm(baidu, IP)).toBe('unverifiable');
  await dns.settled();
  expect(dns.confirm(baidu, IP)).toBe('verified');
  expect(resolver.lookupCount).toBe(1);
});

describe('a host name confirms a crawler', () => {
  test.each(['crawl.baidu.com', 'a.b.crawl.baidu.jp', 'A.Crawl.Baidu.COM.'])(
    'as %s',
    async (name) => {
      expect(await secondStanding(resolveTo(name))).toBe('verified');
    },
  );

  test('when the name server spells the IPv6 address in another way', async () => {
    const ip = '2400:da00::1';
    const changes: Partial<Resolver> = {
      reverse: () => Promise.resolve(['x.crawl.baidu.com']),
      resolve6: () => Promise.resolve(['2400:da00:0:0:0:0:0:1']),
    };
    expect(await secondStanding(changes, baidu, ip)).toBe('verified');
  });

  test('when one of several names leads back to the address', async () => {
    const changes: Partial<Resolver> = {
      reverse: () => Promise.resolve(['host.example', 'x.crawl.baidu.com']),
      resolve4: (name) => Promise.resolve(name.endsWith('baidu.com') ? [IP] : []),
    };
    expect(await secondStanding(changes)).toBe('verified');
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
    expect(await secondStanding(resolveTo(name))).toBe('impersonator');
  });

  test('has a name of the operator that leads to another address', async () => {
    expect(await secondStanding(resolveTo('x.crawl.baidu.com', '203.0.113.7'))).toBe(
      'impersonator',
    );
    const nameWithoutAddress: Partial<Resolver> = {
      reverse: () => Promise.resolve(['x.crawl.baidu.com']),
    };
    expect(await secondStanding(nameWithoutAddress)).toBe('impersonator');
  });

  test('has no name at all', async () => {
    expect(await secondStanding({ reverse: failWith('ENOTFOUND') })).toBe('impersonator');
  });
});

test('when the operator publishes ranges too, a foreign name shows no impersonator, and the right name verifies the crawler', async () => {
  expect(await secondStanding(resolveTo('host.example'), yandex)).toBe('unverifiable');
  expect(await secondStanding(resolveTo('spider-1.yandex.com'), yandex)).toBe('verified');
});

describe('a failure of DNS makes no impersonator', () => {
  test.each(['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED', 'EREFUSED', 'ECANCELLED'])(
    'when the reverse look-up ends with %s',
    async (code) => {
      expect(await secondStanding({ reverse: failWith(code) })).toBe('unverifiable');
    },
  );

  test('when the forward look-up fails', async () => {
    const changes: Partial<Resolver> = {
      ...resolveTo('x.crawl.baidu.com'),
      resolve4: failWith('ESERVFAIL'),
    };
    expect(await secondStanding(changes)).toBe('unverifiable');
  });
});

test('no name is looked up for a crawler whose operator publishes no names', () => {
  const resolver = resolverOf({});
  const { dns } = createTestDns(resolver);
  expect(dns.confirm(crawlerOf('GPTBot'), IP)).toBe('unverifiable');
  expect(resolver.lookupCount).toBe(0);
});

describe('time limits', () => {
  afterEach(() => vi.useRealTimers());

  test('a look-up that hangs ends at its time limit', async () => {
    vi.useFakeTimers();
    const { dns } = createTestDns(resolverOf({ reverse: () => new Promise(() => undefined) }), {
      timeoutMs: 5_000,
    });
    dns.confirm(baidu, IP);
    const settled = dns.settled();
    await vi.advanceTimersByTimeAsync(5_000);
    await settled;
    expect(dns.confirm(baidu, IP)).toBe('unverifiable');
  });

  test('an expired answer is looked up again, and meanwhile the old answer stays valid', async () => {
    let resolverAnswers = resolveTo('x.crawl.baidu.com');
    const resolver = resolverOf({
      reverse: (ip) => (resolverAnswers.reverse ?? failWith('ENOTFOUND'))(ip),
      resolve4: (name) => (resolverAnswers.resolve4 ?? failWith('ENOTFOUND'))(name),
    });
    const ttlMs = { confirmed: 1_000, denied: 100, failed: 10 };
    const { dns, time } = createTestDns(resolver, { ttlMs });
    dns.confirm(baidu, IP);
    await dns.settled();
    time.now += 999;
    expect(dns.confirm(baidu, IP)).toBe('verified');
    expect(resolver.lookupCount).toBe(1);

    resolverAnswers = resolveTo('host.example');
    time.now += 1;
    expect(dns.confirm(baidu, IP)).toBe('verified');
    await dns.settled();
    expect(dns.confirm(baidu, IP)).toBe('impersonator');
    time.now += 99;
    expect(dns.confirm(baidu, IP)).toBe('impersonator');
    expect(resolver.lookupCount).toBe(2);

    resolverAnswers = { reverse: failWith('ESERVFAIL') };
    time.now += 1;
    dns.confirm(baidu, IP);
    await dns.settled();
    expect(dns.confirm(baidu, IP)).toBe('unverifiable');
    time.now += 10;
    dns.confirm(baidu, IP);
    await dns.settled();
    expect(resolver.lookupCount).toBe(4);
  });
});

describe('bounds', () => {
  test('questions: some run at once, some wait, and the others are asked when their address comes again', async () => {
    let openLookups: (() => void)[] = [];
    let mostAtOnce = 0;
    const resolver = resolverOf({
      reverse: () =>
        new Promise<string[]>((resolve) => {
          openLookups.push(() => resolve(['host.example']));
          mostAtOnce = Math.max(mostAtOnce, openLookups.length);
        }),
    });
    const { dns } = createTestDns(resolver, { maxConcurrent: 2, maxQueued: 3 });
    for (let host = 1; host <= 10; host += 1) dns.confirm(baidu, `198.18.0.${host}`);
    expect(resolver.lookupCount).toBe(2);
    const settled = dns.settled();
    while (resolver.lookupCount < 5 || openLookups.length > 0) {
      const answers = openLookups;
      openLookups = [];
      for (const answer of answers) answer();
      await new Promise(setImmediate);
    }
    await settled;
    expect(mostAtOnce).toBe(2);
    expect(resolver.lookupCount).toBe(5);
    expect(dns.confirm(baidu, '198.18.0.5')).toBe('impersonator');
    expect(dns.confirm(baidu, '198.18.0.6')).toBe('unverifiable');
    expect(resolver.lookupCount).toBe(6);
  });

  test.each([
    ['one site', (host: number) => `2001:470:1:${host}::1`, 8],
    ['one provider, with a network for each address', (host: number) => `2001:470:${host}::1`, 16],
    ['one provider of IPv4', (host: number) => `198.18.${host}.1`, 16],
  ])(
    'the network of %s whose name servers never answer does not keep a crawler out',
    async (_whose, addressOf, asked) => {
      const silent = () => new Promise<string[]>(() => undefined);
      const resolver = resolverOf({
        ...resolveTo('x.crawl.baidu.com'),
        reverse: (ip) => (ip === IP ? Promise.resolve(['x.crawl.baidu.com']) : silent()),
      });
      const { dns } = createTestDns(resolver, { timeoutMs: 20 });
      for (let host = 0; host < 256; host += 1) dns.confirm(baidu, addressOf(host));
      dns.confirm(baidu, IP);
      await dns.settled();
      expect(dns.confirm(baidu, IP)).toBe('verified');
      expect(resolver.lookupCount).toBe(asked + 1);
    },
  );

  test('names: no further name is looked up when the time is over', async () => {
    let names = 0;
    let answerFirst = (): void => undefined;
    const resolver = resolverOf({
      reverse: () => Promise.resolve(['a.crawl.baidu.com', 'b.crawl.baidu.com']),
      resolve4: () => {
        names += 1;
        return new Promise((resolve) => (answerFirst = () => resolve(['198.18.0.1'])));
      },
    });
    const { dns } = createTestDns(resolver, { timeoutMs: 20 });
    dns.confirm(baidu, IP);
    await dns.settled();
    answerFirst();
    await new Promise(setImmediate);
    expect(names).toBe(1);
  });

  test('answers: the least recently used answer is forgotten', async () => {
    const resolver = resolverOf({});
    const { dns } = createTestDns(resolver, { maxAnswers: 2 });
    for (const ip of ['198.18.0.1', '198.18.0.2', '198.18.0.3']) {
      dns.confirm(baidu, ip);
      await dns.settled();
    }
    expect(dns.confirm(baidu, '198.18.0.3')).toBe('impersonator');
    expect(dns.confirm(baidu, '198.18.0.1')).toBe('unverifiable');
  });
});
