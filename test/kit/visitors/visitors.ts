import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { seededRandom } from '../seeded-random.ts';

/** Header fields of real clients, in their order. */

export const CHROME_UA =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

export const chromeHttps: Readonly<Record<string, string>> = {
  host: 'shop.example',
  connection: 'keep-alive',
  'sec-ch-ua': '"Google Chrome";v="147", "Not.A/Brand";v="8", "Chromium";v="147"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
  'upgrade-insecure-requests': '1',
  'user-agent': CHROME_UA,
  accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9',
};

/** The same browser on a plain http name: no hints, no fetch metadata, no brotli. */
export const chromeHttp: Readonly<Record<string, string>> = {
  host: 'shop.example',
  connection: 'keep-alive',
  'upgrade-insecure-requests': '1',
  'user-agent': CHROME_UA,
  accept: chromeHttps['accept'] ?? '',
  'accept-encoding': 'gzip, deflate',
  'accept-language': 'en-GB,en;q=0.9',
};

export const firefoxHttps: Readonly<Record<string, string>> = {
  host: 'shop.example',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
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

export const safariIphone: Readonly<Record<string, string>> = {
  host: 'shop.example',
  'sec-fetch-dest': 'document',
  'user-agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'accept-language': 'fr-FR,fr;q=0.9',
  priority: 'u=0, i',
  'accept-encoding': 'gzip, deflate, br',
  connection: 'keep-alive',
};

export const curl: Readonly<Record<string, string>> = {
  host: 'shop.example',
  'user-agent': 'curl/8.14.1',
  accept: '*/*',
};

export const GOOGLEBOT_UA =
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
/** An address in a range that Google publishes for Googlebot. */
export const GOOGLEBOT_IP = '66.249.66.1';

export const googlebot: Readonly<Record<string, string>> = {
  host: 'shop.example',
  connection: 'keep-alive',
  accept:
    'text/html,application/xhtml+xml,application/signed-exchange;v=b3,application/xml;q=0.9,*/*;q=0.8',
  from: 'googlebot(at)googlebot.com',
  'user-agent': GOOGLEBOT_UA,
  'accept-encoding': 'gzip, deflate, br',
};

/** A residential address, which is in no datacenter, VPN or Tor list. */
export const HOME_IP = '84.115.20.7';

/** A visit to the shop from a residential address, in the form of `POST /validate`. `changes` replaces fields. */
export function visit(changes: Partial<ValidateRequest> = {}): ValidateRequest {
  return {
    url: 'https://shop.example/',
    ip: HOME_IP,
    method: 'GET',
    headers: { ...chromeHttps },
    ...changes,
  };
}

/** A fetch of a page's own script, in the same browser as `chromeHttps`. */
export const scriptFetch: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    ...chromeHttps,
    accept: '*/*',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
    'sec-fetch-site': 'same-origin',
  }).filter(([name]) => name !== 'sec-fetch-user'),
);

/** A request for a picture of a page. */
export const pictureOfPage: Readonly<Record<string, string>> = {
  ...scriptFetch,
  accept: 'image/*',
  'sec-fetch-mode': 'no-cors',
  'sec-fetch-dest': 'image',
};

/** Returns the same header fields in an order that depends on the seed. Another order is another client shape. */
export function inOrderOf(
  seed: number,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const random = seededRandom(seed);
  return Object.fromEntries(
    Object.entries(headers)
      .map((field) => ({ field, at: random.below(1_000_000) }))
      .sort((one, other) => one.at - other.at)
      .map(({ field }) => field),
  );
}
