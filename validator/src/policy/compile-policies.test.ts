import { expect, test } from 'vitest';
import { loadBrowserBundle } from '../../browser/build.ts';
import { type TestValidator, validatorWith } from '../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import { chromeHttps, visit } from '../../../test/kit/visitors/visitors.ts';

/** Lists from URLs can cause a reload every few minutes, so a reload must not give visitors new budgets. */

const RULES = '[{ name: everybody, match: {}, detect: true, challenge: auto }]';
const OTHER_RULES = RULES.replace('}]', '}, { name: more, match: { path: /x }, detect: true }]');
const SESSION_ID = '0f8fad5b-d9cb-869f-8165-000000000001';
const HOUR_MS = 3_600_000;

const reloadGuard = (before: TestValidator, challenge: object) =>
  validatorWith(OTHER_RULES, { before, organisation: { challenge } });

async function countAllowed({ ask }: TestValidator, requests: readonly ReturnType<typeof visit>[]) {
  let allowedCount = 0;
  for (const request of requests) if ((await ask(request)).decision === 'allow') allowedCount += 1;
  return allowedCount;
}

const pages = (count: number) => Array.from({ length: count }, () => visit({ cookie: SESSION_ID }));

test('a session that has used up its pages gets no more pages after a reload, and after a raised limit only the added ones', async () => {
  const challenge = { session_limits: { pages_per_hour: 60 } };
  const guard = validatorWith(RULES, { organisation: { challenge } });
  guard.time.now += HOUR_MS;
  guard.store.keepSession(SESSION_ID, verifiedSession({ judgedAt: guard.time.now }), 24 * HOUR_MS);
  expect(await countAllowed(guard, pages(70))).toBe(60);
  expect(await countAllowed(reloadGuard(guard, challenge), pages(70))).toBe(0);
  const raisedLimits = { session_limits: { pages_per_hour: 90 } };
  expect(await countAllowed(reloadGuard(guard, raisedLimits), pages(70))).toBeLessThanOrEqual(30);
});

test('pressure on a client shape continues after a reload', async () => {
  const challenge = { free_pages: { pages: 50, per: '10m' } };
  const guard = validatorWith(RULES, { organisation: { challenge } });
  const strangers = (from: number) =>
    Array.from({ length: 150 }, (_, index) =>
      visit({ ip: `198.51.${from}.${index}`, headers: { ...chromeHttps } }),
    );
  expect(await countAllowed(guard, strangers(100))).toBeLessThan(110);
  expect(await countAllowed(reloadGuard(guard, challenge), strangers(101))).toBe(0);
});

test('pages get a program of this hour at once after a reload', async () => {
  const plain = loadBrowserBundle().interstitial;
  const isPlain = async ({ validator }: TestValidator) => {
    const validate = validator.forOrganisation('acme');
    const outcome = await validate(visit(), { site: 'shop.example' });
    const page = outcome.kind === 'answered' ? String(outcome.extras?.body) : '';
    expect(page).toContain('<script');
    return page.includes(plain);
  };
  const rules = '[{ name: everybody, match: {}, challenge: always }]';
  const guard = validatorWith(rules);
  expect(await isPlain(guard)).toBe(true);
  await expect.poll(() => isPlain(guard)).toBe(false);
  expect(await isPlain(validatorWith(rules, { before: guard }))).toBe(false);
});
