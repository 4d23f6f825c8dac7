import { expect, test } from 'vitest';
import {
  countAllowed,
  detectingValidator,
  newSession,
} from '../../../../test/kit/product/decisions.ts';
import { scriptFetch, visit } from '../../../../test/kit/visitors/visitors.ts';

const MINUTE_MS = 60_000;

test('while the origin gives no answer, at most 100 requests for data of an address wait, and then its next page is challenged', async () => {
  const guard = detectingValidator();
  const cookie = await newSession(guard);
  guard.origin.answers = 'never';
  const data = () => visit({ headers: scriptFetch, cookie });
  // A browser has 100 streams over HTTP/2, and a page can request all its data at once.
  expect(await countAllowed(guard, 101, data)).toBe(100);
  const neighbour = () => visit({ headers: scriptFetch, ip: '84.115.99.7' });
  expect(await countAllowed(guard, 1, neighbour)).toBe(1);
  // Without the challenge, the browser would show the page without its data.
  expect(await countAllowed(guard, 1, () => visit())).toBe(0);
  guard.time.now += MINUTE_MS + 1;
  expect(await countAllowed(guard, 1, data)).toBe(1);
});

test('requests that change something, and whose answer can be a document, wait only while documents are left for them', async () => {
  const guard = detectingValidator();
  const cookie = await newSession(guard);
  const post = () => visit({ method: 'POST', headers: scriptFetch, cookie });
  guard.origin.answers = 'data';
  expect(await countAllowed(guard, 200, post)).toBe(200);
  guard.origin.answers = 'document';
  expect(await countAllowed(guard, 40, post)).toBe(40);
  guard.origin.answers = 'never';
  // Guard cannot hold back their answers, because the origin has then already made the change.
  expect(await countAllowed(guard, 20, post)).toBe(10);
});

test('JSON in answer to many POST at once uses up no document of the address', async () => {
  const guard = detectingValidator();
  const cookie = await newSession(guard);
  const post = () => visit({ method: 'POST', headers: scriptFetch, cookie });
  guard.origin.answers = 'never';
  expect(await countAllowed(guard, 55, post)).toBe(50);
  // The 50 requests get JSON, so they give their documents back.
  guard.time.now += 11 * MINUTE_MS;
  guard.origin.answers = 'data';
  expect(await countAllowed(guard, 60, post)).toBe(60);
  expect(await countAllowed(guard, 1, () => visit({ cookie }))).toBe(1);
});

test('after Guard refused 5 of 55 POST at once, later POST are free, and the documents of the address are not used up', async () => {
  const guard = detectingValidator();
  const cookie = await newSession(guard);
  guard.origin.answers = 'never';
  expect(
    await countAllowed(guard, 55, () => visit({ method: 'POST', headers: scriptFetch, cookie })),
  ).toBe(50);
  guard.time.now += MINUTE_MS;
  guard.origin.answers = 'document';
  expect(
    await countAllowed(guard, 5, () => visit({ method: 'POST', headers: scriptFetch, cookie })),
  ).toBe(5);
});
