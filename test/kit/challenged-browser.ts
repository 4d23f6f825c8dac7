import { answering, asPageWrites } from '../../validator/src/challenge/testing/answers.ts';
import { fixture } from '../../validator/src/challenge/testing/challenged-visitor.ts';
import { type Answer, send } from './http.ts';

/** A recorded browser that meets the challenge of a running product. Usable outside of tests, too. */

const PERSON = fixture('human/chromium-headful-xvfb-default-screen.json');

/** What its navigations look like, by name of the header field. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  ...PERSON.headers,
  host: 'shop.example',
  'sec-fetch-mode': 'navigate',
};

/** What a challenge page holds. */
export interface ChallengePage {
  readonly ticket: string;
  readonly session: string;
}

/** A navigation from an address, with a session where there is one already. */
export function navigateFrom(
  gateway: string,
  path: string,
  { ip, session }: { readonly ip: string; readonly session?: string },
): Promise<Answer> {
  const cookie = session === undefined ? {} : { cookie: `_guard=${session}` };
  const headers = { ...BROWSER_HEADERS, 'x-forwarded-for': ip, ...cookie };
  return send(gateway + path, { headers });
}

/** The page in an answer that is a challenge; its session is `session` where it gives no other one. */
export function readChallenge({ body, headers }: Answer, session = ''): ChallengePage | undefined {
  const ticket = /data-ticket="([^"]+)"/.exec(body)?.[1];
  const given = /_guard=([^;]+)/.exec(String(headers['set-cookie']))?.[1];
  return ticket === undefined ? undefined : { ticket, session: given ?? session };
}

/** The upload of a page, as a person's browser sends it. */
export function uploadFrom(gateway: string, page: ChallengePage, ip: string): Promise<Answer> {
  const { ticket, session } = page;
  const evidence = answering(PERSON.evidence, ticket);
  return send(`${gateway}/.guard/verify`, {
    method: 'POST',
    headers: { ...BROWSER_HEADERS, 'x-forwarded-for': ip, 'content-type': 'application/json' },
    body: asPageWrites({ ticket, session, evidence }),
  });
}

/** What an upload is answered with that made its session a verified one. */
export const PASSED = '{"result":"reload"}';

/** A session that passed its challenge; rejects when it does not pass. */
export async function passFrom(gateway: string, ip: string): Promise<string> {
  const first = await navigateFrom(gateway, '/', { ip });
  const page = readChallenge(first);
  if (page === undefined) throw new Error(`no challenge, but ${first.status}`);
  const { status, body } = await uploadFrom(gateway, page, ip);
  if (body !== PASSED) throw new Error(`an upload was answered with ${status}: ${body}`);
  return page.session;
}
