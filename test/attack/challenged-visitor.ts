import {
  answering,
  asPageWrites,
  type Ticketed,
} from '../../validator/src/challenge/testing/answers.ts';
import { type Fixture, fixture } from '../../validator/src/challenge/testing/challenged-visitor.ts';
import { type Answer, send } from '../kit/http.ts';
import { visit } from '../kit/visitors.ts';
import { bodyOf, KEY, type Served } from '../spec/serve-validator.ts';

export const person = fixture('human/chromium-headful-xvfb-default-screen.json');
export const robot = fixture('automated/playwright-headful.json');

/** What a challenge page holds in its hands: enough to answer, as a browser or as an attacker would. */
export interface Challenged {
  readonly ticket: string;
  readonly session: string;
  readonly reference: string;
}

/** Asks `POST /validate` as the caller's backend does for a visitor, and reads the page it is given. */
export async function challenged(
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
  const read = (pattern: RegExp) => pattern.exec(html)?.[1] ?? '';
  return {
    ticket: read(/data-ticket="([^"]+)"/),
    session: answer.cookies?.[0]?.value ?? cookie ?? '',
    reference: read(/<code>([^<]+)<\/code>/),
  };
}

/** The upload a person's browser would send. */
export function uploadOf({ ticket, session }: Challenged, who = person) {
  return { ticket, session, evidence: answering(who.evidence, ticket) };
}

/** The task of an answer that asks for work; empty where it asks for none. */
export function taskIn({ body }: Pick<Answer, 'body'>): string {
  return /"task":"([^"]+)"/.exec(body)?.[1] ?? '';
}

/** A text as it is, an upload as the page of its ticket writes it, and anything else as JSON. */
function written(body: unknown): string {
  if (typeof body === 'string') return body;
  const hasTicket = typeof body === 'object' && body !== null && 'ticket' in body;
  // A test may give a ticket that is no text: that has no page either.
  return hasTicket && typeof body.ticket === 'string'
    ? asPageWrites(body as Ticketed)
    : JSON.stringify(body);
}

/** `POST /verify` on the real listener. */
export function post(
  served: Pick<Served, 'collectorUrl'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(`${served.collectorUrl}/verify`, {
    method: 'POST',
    headers: { ...person.headers, 'content-type': 'application/json', ...headers },
    body: written(body),
  });
}
