import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CrawlerCatalogue } from './crawlers.ts';
import { UserAgentCatalogue } from './user-agents.ts';

/** Sample User-Agents of an independent collection. The catalogue has names from this collection, but no samples. */
const samples = z
  .array(z.object({ instances: z.array(z.string()) }))
  .parse(createRequire(import.meta.url)('crawler-user-agents'))
  .flatMap(({ instances }) => instances);

test('at least 99 % of the sample User-Agents of crawler-user-agents are identified', () => {
  const crawlers = CrawlerCatalogue.load();
  const software = UserAgentCatalogue.load();
  const missedSamples = samples.filter(
    (userAgent) =>
      crawlers.identify(userAgent) === undefined &&
      software.httpClientToken(userAgent) === undefined &&
      software.automationToken(userAgent) === undefined,
  );
  expect(samples.length).toBeGreaterThan(2000);
  expect(
    1 - missedSamples.length / samples.length,
    missedSamples.join('\n'),
  ).toBeGreaterThanOrEqual(0.99);
});
