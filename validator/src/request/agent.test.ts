import { describe, expect, test } from 'vitest';
import { readAgent } from '../signals/testing/facts.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

describe('the claims of a User-Agent', () => {
  test('Chrome on Windows always sends fetch metadata and client hints', () => {
    expect(readAgent(CHROME)).toMatchObject({
      engine: 'chromium',
      major: 147,
      product: 'chrome',
      platform: 'windows',
      mobile: false,
      fetchMetadata: 'always',
      clientHints: 'always',
    });
  });

  test.each([
    ['Edge', `${CHROME} Edg/147.0.0.0`, 'edge'],
    ['Opera', `${CHROME} OPR/130.0.0.0`, 'opera'],
    ['another Chromium', `${CHROME} Vivaldi/8.0`, 'other'],
  ])('the User-Agent of %s gives the right product', (_name, userAgent, product) => {
    expect(readAgent(userAgent)).toMatchObject({ engine: 'chromium', product });
  });

  test('Safari on an iPhone usually sends fetch metadata', () => {
    expect(readAgent(IPHONE)).toMatchObject({
      engine: 'webkit',
      major: 18,
      platform: 'ios',
      mobile: true,
      fetchMetadata: 'usually',
      clientHints: 'unknown',
    });
  });

  test('Guard expects no fetch metadata and no client hints of a browser inside an app', () => {
    const view = CHROME.replace('Chrome/', 'QtWebEngine/6.8.1 Chrome/');
    expect(readAgent(view)).toMatchObject({
      embedded: true,
      product: 'other',
      fetchMetadata: 'unknown',
      clientHints: 'unknown',
      brands: '',
    });
  });

  test('each distinct string is parsed once', () => {
    expect(readAgent(CHROME)).toBe(readAgent(CHROME));
  });

  test('only the beginning of a very long string is parsed', () => {
    const long = `${CHROME} ${'a'.repeat(2 ** 20)}`;
    expect(readAgent(long)).toBe(readAgent(`${long}b`));
  });
});
