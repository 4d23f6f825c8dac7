import { expect, test } from 'vitest';
import {
  countAllowed,
  countForwarded,
  decisions,
  detectingValidator,
  times,
} from '../../../../test/kit/product/decisions.ts';
import {
  chromeHttp,
  pictureOfPage,
  scriptFetch,
  visit,
} from '../../../../test/kit/visitors/visitors.ts';

/** Requests for pictures, sound, films and fonts whose path has no file extension, from visitors who loaded no page. */

const MINUTE_MS = 60_000;
const HOTLINKED_PICTURE = { ...pictureOfPage, 'sec-fetch-site': 'cross-site' };
const url = 'https://shop.example/media/7';
const picture = () => visit({ url, headers: HOTLINKED_PICTURE });
const fromManyAddresses = (index: number) => ({
  ...picture(),
  ip: `84.${index & 127}.${index >> 7}.7`,
});

test.each([
  ['pictures of another site', url, HOTLINKED_PICTURE],
  ['pictures of a page that is not protected', url, pictureOfPage],
  ['sound', url, { ...pictureOfPage, accept: '*/*', 'sec-fetch-dest': 'audio' }],
  ['films', url, { ...pictureOfPage, accept: '*/*', 'sec-fetch-dest': 'video' }],
  ['fonts', url, { ...scriptFetch, 'sec-fetch-dest': 'font' }],
  [
    'pictures over http, where browsers send no fetch metadata',
    'http://shop.example/media/7',
    { ...chromeHttp, accept: 'image/avif,image/webp,image/apng,image/*,*/*;q=0.8' },
  ],
])('%s are free in any number', async (_name, target, headers) => {
  const guard = detectingValidator();
  const decided = await decisions(guard, 60, () => visit({ url: target, headers }));
  expect(decided).toEqual(times(60, 'allow'));
});

test.each(['document', 'data', 'content', 'file'] as const)(
  'when a claimed picture is a %s, it takes a free page, and without free pages the claim is not believed',
  async (answers) => {
    const guard = detectingValidator();
    guard.origin.answers = answers;
    expect(await countAllowed(guard, 8, picture)).toBe(5);
    guard.origin.answers = 'other';
    expect(await countAllowed(guard, 1, picture)).toBe(0);
    guard.time.now += 10 * MINUTE_MS + 1;
    expect(await countAllowed(guard, 60, picture)).toBe(60);
  },
);

test('when pictures of another site are pages, they use up no free pages of this site', async () => {
  const guard = detectingValidator();
  guard.origin.answers = 'document';
  await decisions(guard, 8, picture);
  guard.origin.answers = 'other';
  expect(await countAllowed(guard, 5, () => visit())).toBe(5);
});

test('all addresses of a shape together get at most 100 pages with false claims, and their pictures stay free', async () => {
  const guard = detectingValidator({ challenge: { pressure: false } });
  guard.origin.answers = 'document';
  expect(await countForwarded(guard, 1_000, fromManyAddresses)).toBeLessThanOrEqual(100);
  guard.origin.answers = 'other';
  const pictures = await decisions(guard, 60, (index) => fromManyAddresses(1_001 + index));
  expect(pictures).toEqual(times(60, 'allow'));
});

test('a POST that claims to be a picture is a request for data', async () => {
  const decided = await decisions(detectingValidator(), 8, () => ({
    ...picture(),
    method: 'POST',
  }));
  expect(decided).toEqual([...times(5, 'allow'), ...times(3, 'redirect')]);
});

test('where Guard does not see the answers, a picture without a file extension is counted as a page', async () => {
  const guard = detectingValidator();
  guard.caller.seesAnswers = false;
  expect(await countAllowed(guard, 8, picture)).toBe(5);
});
