import { request } from 'undici';
import { chromeHttps, curl, HOME_IP } from '../test/kit/visitors.ts';
import { agentOf } from './decision-visitors.ts';

/** Who asks in the benches that go over sockets. */

export type Headers = Readonly<Record<string, string>>;

/** Chrome on https, as a load balancer that ends TLS passes it on: with the session's cookie, 17 fields. */
export const browser: Headers = {
  ...chromeHttps,
  'x-forwarded-for': HOME_IP,
  'x-forwarded-proto': 'https',
};

/** Every request another visitor at another address with another agent: `{…}` is filled by drive.ts. */
export const stranger: Headers = {
  ...agentOf('{number}'),
  'x-forwarded-for': '{address}',
  'x-forwarded-proto': 'https',
};
export const STRANGERS_PATH = '/products/{number}';

/** Makes sure that somebody decides behind this URL: a script is answered with 403. */
export async function expectRefusal(url: string): Promise<void> {
  const fields = { 'x-forwarded-for': HOME_IP, 'x-forwarded-proto': 'https' };
  const answer = await request(url, { headers: { ...curl, ...fields } });
  await answer.body.dump();
  if (answer.statusCode !== 403)
    throw new Error(`${url} answered ${answer.statusCode} to a script`);
}

/** The headers of a browser that has the session this Guard gave it. */
export async function returning(url: string, headers: Headers = browser): Promise<Headers> {
  const answer = await request(url, { headers });
  await answer.body.dump();
  const [cookie] = [answer.headers['set-cookie']].flat();
  if (answer.statusCode !== 200 || cookie === undefined) {
    throw new Error(`${url} answered ${answer.statusCode} to a browser, and gave it no session`);
  }
  return { ...headers, cookie: cookie.split(';', 1)[0] ?? '' };
}
