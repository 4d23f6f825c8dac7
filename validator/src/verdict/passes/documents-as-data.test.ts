import { expect, test } from 'vitest';
import {
  countAllowed,
  decisions,
  detectingValidator,
  newSession,
} from '../../../../test/kit/product/decisions.ts';
import type { TestValidator } from '../../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../../test/kit/visitors/verified-session.ts';
import { chromeHttps, scriptFetch, visit } from '../../../../test/kit/visitors/visitors.ts';

const MINUTE_MS = 60_000;

/** Lets visitors pass, load a page, and get documents in answer to requests for data. */
async function teach(
  guard: TestValidator,
  visitors: number,
  documentsAsData: (visitor: number) => number,
  headers = scriptFetch,
): Promise<void> {
  for (let visitor = 0; visitor < visitors; visitor++) {
    const ip = `90.${visitor >> 8}.${visitor & 255}.7`;
    const cookie = await newSession(guard, visit({ ip }));
    guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), MINUTE_MS);
    guard.origin.answers = 'document';
    await guard.ask(visit({ ip, cookie }));
    await decisions(guard, documentsAsData(visitor), () => visit({ ip, cookie, headers }));
    guard.origin.answers = 'other';
  }
}

/** How many documents an address without a pass gets as data, after it loaded one page. */
async function countDocuments(guard: TestValidator, method = 'GET', asked = 60): Promise<number> {
  const ip = '84.115.99.7';
  guard.time.now += 11 * MINUTE_MS;
  expect((await guard.ask(visit({ ip }))).decision).toBe('allow');
  guard.origin.answers = 'document';
  const count = await countAllowed(guard, asked, () => visit({ ip, headers: scriptFetch, method }));
  guard.origin.answers = 'other';
  return count;
}

const withoutPressure = () => detectingValidator({ challenge: { pressure: false } });

test('when the visitors of a site who passed get no documents as data, an address without a pass gets 8, and its JSON stays free', async () => {
  const guard = withoutPressure();
  await teach(guard, 50, () => 2);
  expect(await countDocuments(guard, 'GET', 20)).toBe(8);
  const ip = '84.115.99.7';
  guard.origin.answers = 'data';
  expect(await countAllowed(guard, 100, () => visit({ ip, headers: scriptFetch }))).toBe(100);
});

test('a page that needs more documents gets them after its reload, because the next page of the address is challenged', async () => {
  const guard = withoutPressure();
  await teach(guard, 50, () => 0);
  await countDocuments(guard);
  expect((await guard.ask(visit({ ip: '84.115.99.7' }))).decision).toBe('redirect');
});

test('when documents as data are rare, an address still gets 50 in answer to POST, because Guard must not hold back the answer to an order', async () => {
  const guard = withoutPressure();
  await teach(guard, 50, () => 0);
  expect(await countDocuments(guard, 'POST')).toBe(50);
});

test.each([
  [
    'two of 100 visitors who passed get more than four',
    100,
    (visitor: number) => (visitor < 2 ? 5 : 0),
  ],
  ['fewer than 50 visitors passed', 49, () => 0],
])('an address gets 50 when %s', async (_when, visitors, documentsAsData) => {
  const guard = withoutPressure();
  await teach(guard, visitors, documentsAsData);
  expect(await countDocuments(guard)).toBe(50);
});

test('frames of the own site count as documents as data, because an address without a pass needs them', async () => {
  const guard = withoutPressure();
  const frame = { ...chromeHttps, 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
  await teach(guard, 50, () => 5, frame);
  expect(await countDocuments(guard)).toBe(50);
});

test('Guard learns nothing from a site whose answers it does not see', async () => {
  const guard = withoutPressure();
  guard.caller.seesAnswers = false;
  await teach(guard, 60, () => 0);
  guard.caller.seesAnswers = true;
  expect(await countDocuments(guard)).toBe(50);
});
