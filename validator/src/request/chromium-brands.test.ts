import { describe, expect, test } from 'vitest';
import { readBrowserClaim } from './browser-claim.ts';
import { expectedBrands, greaseBrand, hasGreaseOf } from './chromium-brands.ts';

const claim = (major: number, suffix = '') =>
  readBrowserClaim(
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36${suffix}`,
  );

const RECORDED: [number, string][] = [
  [119, '"Google Chrome";v="119", "Chromium";v="119", "Not?A_Brand";v="24"'],
  [120, '"Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120"'],
  [138, '"Not)A;Brand";v="8", "Chromium";v="138", "Google Chrome";v="138"'],
  [142, '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"'],
  [145, '"Not:A-Brand";v="99", "Google Chrome";v="145", "Chromium";v="145"'],
  [147, '"Google Chrome";v="147", "Not.A/Brand";v="8", "Chromium";v="147"'],
];

describe('the brand list of Chromium (W3C UA-CH, GREASE)', () => {
  test.each(RECORDED)('Chrome %i has the recorded list', (major, brands) => {
    expect(expectedBrands(claim(major))).toBe(brands);
    expect(hasGreaseOf(major, brands)).toBe(true);
    expect(hasGreaseOf(major + 1, brands)).toBe(false);
  });

  test('Edge has its own brand at the position of the product', () => {
    expect(expectedBrands(claim(143, ' Edg/143.0.0.0'))).toBe(
      '"Microsoft Edge";v="143", "Chromium";v="143", "Not A(Brand";v="24"',
    );
  });

  test('the list of Chromium 156 without a product, as measured', () => {
    expect(greaseBrand(156)).toBe('"Not:A-Brand";v="8"');
    expect(hasGreaseOf(156, '"Not:A-Brand";v="8", "Chromium";v="156"')).toBe(true);
  });

  test('other products and older versions have no expected list', () => {
    expect(expectedBrands(claim(147, ' Vivaldi/8.0'))).toBe('');
    expect(expectedBrands(claim(100))).toBe('');
    expect(hasGreaseOf(100, '" Not A;Brand";v="99", "Chromium";v="100"')).toBe(true);
  });
});
