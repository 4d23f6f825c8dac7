import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { describe, expect, test } from 'vitest';
import { curl, googlebot, GOOGLEBOT_IP, visit } from '../kit/visitors/visitors.ts';
import { serveValidator } from './serve-validator.ts';

const OTHER_ADDRESS = '192.0.2.1';
const googlebotEntry = CrawlerCatalogue.load()
  .all()
  .find(({ name }) => name === 'Googlebot');

describe('2.4 the crawler object', () => {
  test('"id, name, access_allowed", and category with rsl_category "copied unchanged"', async () => {
    const { ask } = await serveValidator();
    const { crawler } = await ask(visit({ headers: googlebot, ip: GOOGLEBOT_IP }));
    expect(crawler).toEqual({
      id: googlebotEntry?.id,
      name: 'Googlebot',
      access_allowed: true,
      category: 'Search Engine',
      rsl_category: 'search',
    });
    expect(crawler?.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test.each([
    ['a crawler that is verified and on the allowlist', GOOGLEBOT_IP, '[Googlebot]', true],
    [
      'a verified crawler that is on the allowlist by its category',
      GOOGLEBOT_IP,
      '[{ category: Search Engine }]',
      true,
    ],
    ['verified only', GOOGLEBOT_IP, '[Bingbot]', false],
    ['a crawler that is only on the allowlist', OTHER_ADDRESS, '[Googlebot]', false],
    ['neither', OTHER_ADDRESS, '[]', false],
  ])(
    '"access_allowed: true only when the source IP is verified and the crawler is on the allowlist": %s',
    async (_how, ip, list, isAllowed) => {
      const crawler_allowlist = JSON.parse(list.replace(/(\w[\w ]*\w)/g, '"$1"')) as unknown;
      const { ask } = await serveValidator({ organisation: { crawler_allowlist } });
      const answer = await ask(visit({ headers: googlebot, ip }));
      expect(answer.crawler?.access_allowed).toBe(isAllowed);
    },
  );

  test('"the top-level decision, not this flag, is what a caller enforces": the two can differ', async () => {
    const { ask } = await serveValidator({ rules: '[{ name: r, match: {}, verdict: block }]' });
    const answer = await ask(visit({ headers: googlebot, ip: GOOGLEBOT_IP }));
    expect(answer).toMatchObject({ decision: 'block', crawler: { access_allowed: true } });
  });

  test('"present only when the request is identified as a known crawler" and the feature is on', async () => {
    const { ask } = await serveValidator();
    expect(await ask(visit())).not.toHaveProperty('crawler');
    expect(await ask(visit({ headers: curl }))).not.toHaveProperty('crawler');
    const withoutMetadata = await serveValidator({
      organisation: { features: { crawler_metadata: false } },
    });
    const answer = await withoutMetadata.ask(visit({ headers: googlebot, ip: GOOGLEBOT_IP }));
    expect(answer).not.toHaveProperty('crawler');
  });

  test('"crawler detection itself is always active": the event has the crawler also without the feature', async () => {
    const { ask, events } = await serveValidator({
      organisation: { features: { crawler_metadata: false } },
    });
    await ask(visit({ headers: googlebot, ip: GOOGLEBOT_IP }));
    expect(events).toMatchObject([{ crawler: { name: 'Googlebot', verified: true } }]);
  });
});
