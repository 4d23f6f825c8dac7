import { request } from 'node:http';

/**
 * The header fields of Chrome over plain http. fetch() is not used, because Guard would detect the fields that it adds.
 */
const CHROME = {
  'upgrade-insecure-requests': '1',
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36',
  accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate',
  'accept-language': 'en-GB,en;q=0.9',
};
const GOOGLEBOT = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  from: 'googlebot(at)googlebot.com',
  'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'accept-encoding': 'gzip, deflate, br',
};
const SCRIPT = {
  'user-agent': 'python-requests/2.32.3',
  'accept-encoding': 'gzip, deflate',
  accept: '*/*',
};

/** The visitors, their addresses, and the number of their visits. Only the first Googlebot has an address of Google. */
const VISITS = [
  { times: 6, path: '/', from: '84.115.20.7', headers: CHROME },
  { times: 4, path: '/products', from: '81.2.69.142', headers: CHROME },
  { times: 5, path: '/products', from: '66.249.66.1', headers: GOOGLEBOT },
  { times: 3, path: '/products', from: '84.115.20.8', headers: GOOGLEBOT },
  { times: 8, path: '/api/prices', from: '3.5.140.2', headers: SCRIPT },
  { times: 6, path: '/login', method: 'POST', from: '84.115.20.9', headers: CHROME },
];

/** Sends all visits through the gateway, and returns their number. */
export async function makeTraffic(gateway) {
  let sent = 0;
  for (const { times, path, method = 'GET', from, headers } of VISITS) {
    for (let count = 0; count < times; count += 1) {
      await visit(gateway + path, { method, headers: { ...headers, 'x-forwarded-for': from } });
      sent += 1;
    }
  }
  return sent;
}

function visit(url, options) {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}
