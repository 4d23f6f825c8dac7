import { request } from 'undici';
import { chromeHttps, curl, HOME_IP } from '../test/kit/visitors/visitors.ts';
import { agentOf } from './decision-visitors.ts';

/** The visitors of the benches that use sockets. */

export type Headers = Readonly<Record<string, string>>;

/**
 * The header fields of Chrome over https, behind a load balancer that ends TLS. With the cookie of the session there
 * are 17 fields.
 */
export const browser: Headers = {
  ...chromeHttps,
  'x-forwarded-for': HOME_IP,
  'x-forwarded-proto': 'https',
};

/** Each request is from another visitor, with another address and another User-Agent. traffic.ts replaces `{…}`. */
export const stranger: Headers = {
  ...agentOf('{number}'),
  'x-forwarded-for': '{address}',
  'x-forwarded-proto': 'https',
};
export const STRANGERS_PATH = '/products/{number}';

/** Throws when a script does not get 403 at this URL. The 403 shows that this server judges requests. */
export async function expectRefusal(url: string): Promise<void> {
  const fields = { 'x-forwarded-for': HOME_IP, 'x-forwarded-proto': 'https' };
  const answer = await request(url, { headers: { ...curl, ...fields } });
  await answer.body.dump();
  if (answer.statusCode !== 403)
    throw new Error(`${url} answered ${answer.statusCode} to a script`);
}

/** Returns the header fields of a browser that has a session of this Guard. */
export async function headersOfReturning(
  url: string,
  headers: Headers = browser,
): Promise<Headers> {
  const answer = await request(url, { headers });
  await answer.body.dump();
  const [cookie] = [answer.headers['set-cookie']].flat();
  if (answer.statusCode !== 200 || cookie === undefined) {
    throw new Error(`${url} answered ${answer.statusCode} to a browser, and gave it no session`);
  }
  return { ...headers, cookie: cookie.split(';', 1)[0] ?? '' };
}
