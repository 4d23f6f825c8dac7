import { describe, expect, test } from 'vitest';
import { plausibilitySignal } from './plausibility.ts';
import { claimOf, factsOf } from './testing/facts.ts';

const reasonsFor = (userAgent: string) => plausibilitySignal(factsOf({ 'user-agent': userAgent }));
const chromium = (system: string, rest: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;
const safari = (system: string, rest: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${rest} Safari/604.1`;
const WINDOWS = 'Windows NT 10.0; Win64; x64';
const MAC = 'Macintosh; Intel Mac OS X 10_15_7';
const DESKTOP = 'Chrome/147.0.0.0 Safari/537.36';
const MOBILE = 'Chrome/147.0.0.0 Mobile Safari/537.36';

describe('a browser that exists has no finding', () => {
  test.each([
    [chromium(WINDOWS, 'Chrome/156.0.0.0 Safari/537.36')],
    [chromium(MAC, 'Chrome/156.0.0.0 Safari/537.36')],
    [chromium('Windows NT 6.1; Win64; x64', 'Chrome/109.0.0.0 Safari/537.36')],
    [chromium('X11; CrOS x86_64 14541.0.0', 'Chrome/150.0.0.0 Safari/537.36')],
    [chromium('Web0S; Linux/SmartTV', 'Chrome/79.0.3945.79 Safari/537.36')],
    [chromium('Linux; Android 10; K', 'Chrome/156.0.0.0 Mobile Safari/537.36')],
    [chromium('Windows Phone 10.0; Android 6.0.1', 'Chrome/52.0 Mobile Safari/537.36 Edge/15.1')],
    [safari('iPhone; CPU iPhone OS 18_7 like Mac OS X', 'Version/26.3 Mobile/15E148')],
    [safari('iPhone; CPU iPhone OS 16_6 like Mac OS X', 'Version/16.6 Mobile/15E148')],
    [safari('iPhone; CPU iPhone OS 26_3 like Mac OS X', 'CriOS/144.0.7559.95 Mobile/15E148')],
    [safari('X11; Linux x86_64', 'Version/16.0')],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:109.0) Gecko/20100101 Firefox/115.0'],
    ['curl/8.14.1'],
  ])('%s', (agent) => {
    expect(reasonsFor(agent)).toEqual([]);
  });
});

describe('a browser that cannot exist on its system is impossible', () => {
  test.each([
    ['Blink on an iPhone', chromium('iPhone; CPU iPhone OS 11_0 like Mac OS X', MOBILE)],
    ['two systems', chromium('Windows NT 10.0; Android 13', MOBILE)],
    ['an iPhone with Android', safari('iPhone; Android 13', 'Version/18.0 Mobile/15E148')],
    ['a Macintosh with 64-bit Windows', chromium('Macintosh; Win64; x64', DESKTOP)],
    ['a version of Windows that does not exist', chromium('Windows NT 11.0; Win64; x64', DESKTOP)],
    ['a Mobile Safari on Windows', chromium(WINDOWS, MOBILE)],
    ['Safari on Windows', safari(WINDOWS, 'Version/17.0')],
  ])('%s', (_what, agent) => {
    expect(reasonsFor(agent)).toEqual(['agent_impossible']);
  });
});

describe('a browser that hardly anyone uses is implausible', () => {
  test.each([
    ['a version far in the future', chromium(WINDOWS, 'Chrome/999.0.0.0 Safari/537.36')],
    ['a version that nobody uses any more', chromium(WINDOWS, 'Chrome/19.0.1084.46 Safari/536.5')],
    ['a version too new for its Windows', chromium('Windows NT 6.1; Win64; x64', DESKTOP)],
    [
      'a version of macOS that Chrome does not send any more',
      chromium('Macintosh; Intel Mac OS X 14_2_1', DESKTOP),
    ],
    ['a version of Safari that never existed', safari(MAC, 'Version/22.1')],
    [
      'a Safari of another version of iOS',
      safari('iPhone; CPU iPhone OS 15_2 like Mac OS X', 'Version/18.1 Mobile/15E148'),
    ],
    [
      'a Firefox with two versions',
      'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/140.0',
    ],
  ])('%s', (_what, agent) => {
    expect(reasonsFor(agent)).toEqual(['agent_implausible']);
  });
});

test('a crawler can claim any browser', () => {
  const agent = chromium('Windows NT 11.0', 'Chrome/999.0.0.0 Safari/537.36');
  expect(plausibilitySignal(factsOf({ 'user-agent': agent }, { crawler: claimOf({}) }))).toEqual(
    [],
  );
});
