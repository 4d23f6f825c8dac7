import { answerTicket, writeUpload } from '../../../validator/src/challenge/testing/answers.ts';
import { readFixture } from '../../../validator/src/challenge/testing/challenged-visitor.ts';
import { type Answer, send } from '../http.ts';

/**
 * Answers the challenge of a running Guard with the recorded evidence of a person's browser. It can be used outside of
 * tests, too.
 */

const RECORDING = readFixture('human/chromium-headful-xvfb-default-screen.json');

/** The header fields of the browser's navigations. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  ...RECORDING.headers,
  host: 'shop.example',
  'sec-fetch-mode': 'navigate',
};

/** The values of a challenge page. */
export interface ChallengePage {
  readonly ticket: string;
  readonly session: string;
}

/** Sends a navigation from an address, with or without a session. */
export function navigate(
  gateway: string,
  path: string,
  { ip, session }: { readonly ip: string; readonly session?: string },
): Promise<Answer> {
  const cookie = session === undefined ? {} : { cookie: `_guard=${session}` };
  const headers = { ...BROWSER_HEADERS, 'x-forwarded-for': ip, ...cookie };
  return send(gateway + path, { headers });
}

/**
 * Reads the challenge page in an answer. The session of the page is `session`, unless the answer sets another session.
 */
export function readChallenge({ body, headers }: Answer, session = ''): ChallengePage | undefined {
  const ticket = /data-ticket="([^"]+)"/.exec(body)?.[1];
  const givenSession = /_guard=([^;]+)/.exec(String(headers['set-cookie']))?.[1];
  return ticket === undefined ? undefined : { ticket, session: givenSession ?? session };
}

/** Sends what the challenge page in a person's browser uploads. Resolves with the answer. */
export function sendUpload(gateway: string, page: ChallengePage, ip: string): Promise<Answer> {
  const { ticket, session } = page;
  const evidence = answerTicket(RECORDING.evidence, ticket);
  return send(`${gateway}/.guard/verify`, {
    method: 'POST',
    headers: { ...BROWSER_HEADERS, 'x-forwarded-for': ip, 'content-type': 'application/json' },
    body: writeUpload({ ticket, session, evidence }),
  });
}

/** The body of the answer to an upload with which the visitor passed. */
export const PASSED_ANSWER = '{"result":"reload"}';

/** Returns a session that passed its challenge. Rejects when it does not pass. */
export async function passChallenge(gateway: string, ip: string): Promise<string> {
  const first = await navigate(gateway, '/', { ip });
  const page = readChallenge(first);
  if (page === undefined) throw new Error(`no challenge, but ${first.status}`);
  const { status, body } = await sendUpload(gateway, page, ip);
  if (body !== PASSED_ANSWER) throw new Error(`an upload was answered with ${status}: ${body}`);
  return page.session;
}
