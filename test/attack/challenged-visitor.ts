import {
  answerTicket,
  writeUpload,
  type TicketedUpload,
} from '../../validator/src/challenge/testing/answers.ts';
import {
  type Fixture,
  readFixture,
} from '../../validator/src/challenge/testing/challenged-visitor.ts';
import { type Answer, send } from '../kit/http.ts';
import { visit } from '../kit/visitors/visitors.ts';
import { bodyOf, KEY, type Served } from '../spec/serve-validator.ts';

export const person = readFixture('human/chromium-headful-xvfb-default-screen.json');
export const robot = readFixture('automated/playwright-headful.json');

/** The values that an answer to a challenge page needs. */
export interface Challenged {
  readonly ticket: string;
  readonly session: string;
  readonly reference: string;
}

/**
 * Sends a question about a visitor to `POST /validate`, as a caller's backend does, and reads the page in the response.
 */
export async function openPage(
  served: Served,
  {
    key = KEY,
    cookie,
    who = person,
    ip,
  }: { key?: string; cookie?: string; who?: Fixture; ip?: string } = {},
): Promise<Challenged> {
  const { 'user-agent': userAgent = '', ...others } = who.headers;
  const headers = { 'user-agent': userAgent, ...others, 'sec-fetch-mode': 'navigate' };
  const answer = await served.ask(
    visit({ headers, ...(cookie && { cookie }), ...(ip && { ip }) }),
    key,
  );
  const html = bodyOf(answer);
  const match = (pattern: RegExp) => pattern.exec(html)?.[1] ?? '';
  return {
    ticket: match(/data-ticket="([^"]+)"/),
    session: answer.cookies?.[0]?.value ?? cookie ?? '',
    reference: match(/<code>([^<]+)<\/code>/),
  };
}

/** The upload that a person's browser would send. */
export function uploadOf({ ticket, session }: Challenged, who = person) {
  return { ticket, session, evidence: answerTicket(who.evidence, ticket) };
}

/** The task in an answer that asks for work. Empty for other answers. */
export function taskIn({ body }: Pick<Answer, 'body'>): string {
  return /"task":"([^"]+)"/.exec(body)?.[1] ?? '';
}

/** Returns a text unchanged, an upload in the form of its page, and all other bodies as JSON. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  const hasTicket = typeof body === 'object' && body !== null && 'ticket' in body;
  // A ticket that is not a text comes from no page, so the upload has no form.
  return hasTicket && typeof body.ticket === 'string'
    ? writeUpload(body as TicketedUpload)
    : JSON.stringify(body);
}

/** Sends `POST /verify` to the real listener. */
export function post(
  served: Pick<Served, 'collectorUrl'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(`${served.collectorUrl}/verify`, {
    method: 'POST',
    headers: { ...person.headers, 'content-type': 'application/json', ...headers },
    body: textOf(body),
  });
}
