import { expectedBrands, greaseBrand } from '../../validator/src/request/chromium-brands.ts';
import { readBrowserClaim } from '../../validator/src/request/browser-claim.ts';

/**
 * Headers of a first navigation over https, in the browser's order, for a given User-Agent. The order of Chromium and
 * Firefox is measured (Chromium 147 and 156, Firefox 153), and that of Safari is from its current versions. The brand
 * lists are made by the same rule as in the validator. So these cases prove nothing about brand lists. The generated
 * cases test brand lists.
 */

const DOCUMENT = 'text/html,application/xhtml+xml,application/xml;q=0.9';

export function chromiumHeaders(userAgent: string): Record<string, string> {
  const claim = readBrowserClaim(userAgent);
  const { major, mobile } = claim;
  const brands =
    expectedBrands(claim) ||
    `"Chromium";v="${major}", ${greaseBrand(major)}, "Browser";v="${major}"`;
  return {
    host: 'shop.example',
    connection: 'keep-alive',
    ...(major >= 90 && {
      'sec-ch-ua': brands,
      'sec-ch-ua-mobile': mobile ? '?1' : '?0',
      'sec-ch-ua-platform': platformHint(userAgent),
    }),
    'upgrade-insecure-requests': '1',
    'user-agent': userAgent,
    accept: `${DOCUMENT},image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7`,
    ...(major >= 80 && {
      'sec-fetch-site': 'none',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-user': '?1',
      'sec-fetch-dest': 'document',
    }),
    'accept-encoding': major >= 123 ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br',
    'accept-language': 'en-GB,en;q=0.9',
  };
}

export function firefoxHeaders(userAgent: string): Record<string, string> {
  return {
    host: 'shop.example',
    'user-agent': userAgent,
    accept: `${DOCUMENT},*/*;q=0.8`,
    'accept-language': 'de,en-US;q=0.7,en;q=0.3',
    'accept-encoding': 'gzip, deflate, br, zstd',
    connection: 'keep-alive',
    'upgrade-insecure-requests': '1',
    'sec-fetch-dest': 'document',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'none',
    'sec-fetch-user': '?1',
    priority: 'u=0, i',
  };
}

export function safariHeaders(userAgent: string): Record<string, string> {
  return {
    host: 'shop.example',
    'sec-fetch-dest': 'document',
    'user-agent': userAgent,
    accept: `${DOCUMENT},*/*;q=0.8`,
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'navigate',
    'accept-language': 'fr-FR,fr;q=0.9',
    priority: 'u=0, i',
    'accept-encoding': 'gzip, deflate, br',
    connection: 'keep-alive',
  };
}

/**
 * The header fields for a plain http name: no client hints, no fetch metadata, and no compression that some proxies
 * cannot handle.
 */
export function onPlainHttp(headers: Readonly<Record<string, string>>): Record<string, string> {
  const otherHeaders = Object.entries(headers).filter(([name]) => !name.startsWith('sec-'));
  return { ...Object.fromEntries(otherHeaders), 'accept-encoding': 'gzip, deflate' };
}

function platformHint(userAgent: string): string {
  if (userAgent.includes('Android')) return '"Android"';
  if (userAgent.includes('Windows')) return '"Windows"';
  if (userAgent.includes('CrOS')) return '"Chrome OS"';
  return userAgent.includes('Macintosh') ? '"macOS"' : '"Linux"';
}
