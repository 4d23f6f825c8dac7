import { chromiumMajor, plainUserAgent } from '../chromium-setup.ts';

function commonHeaders(): Record<string, string> {
  return {
    'sec-ch-ua': `"Chromium";v="${chromiumMajor()}", "Not_A Brand";v="24"`,
    'sec-ch-ua-mobile': '?0',
    'sec-ch-ua-platform': '"Linux"',
    'user-agent': plainUserAgent(),
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': 'en-US,en;q=0.9',
  };
}

/** The header fields of a page request, as a script copies them from the network panel. */
export function navigationHeaders(): Record<string, string> {
  return {
    ...commonHeaders(),
    'upgrade-insecure-requests': '1',
    accept:
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-user': '?1',
    'sec-fetch-dest': 'document',
  };
}

/** The header fields of a fetch of that page from its own origin. */
export function fetchHeaders(page: string): Record<string, string> {
  return {
    ...commonHeaders(),
    'content-type': 'application/json',
    accept: '*/*',
    origin: new URL(page).origin,
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
  };
}
