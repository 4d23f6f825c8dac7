import { sessionDigest } from '@guard/config/contract/session-digest';
import { expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { useProduct } from '../kit/use-product.ts';
import { chromeHttp } from '../kit/visitors.ts';

/** What the origin is told about a visitor, and what is remembered of him, are the same. */

const story = useProduct({ rules: [{ name: 'open', match: {}, verdict: 'allow' }] });

interface Row {
  readonly request_id: string;
  readonly session: string;
  readonly session_sent: string;
  readonly crawler_name: string;
}

async function visit(path: string, headers: Readonly<Record<string, string>>) {
  const answer = await send(`${story.product.addresses.gateway}${path}`, { headers });
  const { headers: told } = await story.origin.arrival(path);
  const statement = `SELECT request_id, session, session_sent, crawler_name FROM events_distributed
    WHERE path = '${path}'`;
  const rows = await poll(
    () => rowsOf<Row>(story.product, statement),
    ({ length }) => length === 1,
  );
  return { answer, told, row: rows[0] };
}

// Beside each other: each of them waits for its event.
test.concurrent(
  'X-Guard-Request-Id and X-Guard-Session are those of the event, with a new session and a known one',
  async () => {
    const first = await visit('/first', chromeHttp);
    expect(first.told['x-guard-session']).toMatch(/^[0-9a-f]{32}$/);
    expect(first.row).toMatchObject({
      request_id: first.told['x-guard-request-id'],
      session: first.told['x-guard-session'],
      session_sent: '',
    });
    const cookie = String(first.answer.headers['set-cookie']).split(';', 1).join('');
    const second = await visit('/second', { ...chromeHttp, cookie });
    expect(second.told['x-guard-session']).toBe(first.told['x-guard-session']);
    expect(second.row?.session).toBe(first.told['x-guard-session']);
    expect(second.row?.session_sent).toBe(first.told['x-guard-session']);
    expect(JSON.stringify(second.told['x-guard-session'])).not.toContain(cookie.slice(7));
  },
);

test.concurrent(
  'a session that Guard did not give is not passed on: the visitor gets one of his own',
  async () => {
    const cookie = '_guard=f662c344-76b5-45c7-9d1e-497d800f17a1';
    const { answer, told, row } = await visit('/forged', { ...chromeHttp, cookie });
    expect(String(answer.headers['set-cookie'])).toMatch(/^_guard=/);
    expect(told['x-guard-session']).toBe(row?.session);
    expect(row?.session_sent).toBe(sessionDigest(cookie.slice('_guard='.length)));
    expect(row?.session_sent).not.toBe(row?.session);
  },
);

test.concurrent.each([
  ['verified', '66.249.66.1'],
  ['claimed', '84.115.20.7'],
])('contract 2.4: a crawler is told as %s from %s', async (proof, address) => {
  const agent = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  const headers = { 'user-agent': agent, 'x-forwarded-for': address };
  const { told, row } = await visit(`/${proof}`, headers);
  expect(row?.crawler_name).toBe('Googlebot');
  expect(told['x-guard-crawler']).toMatch(
    new RegExp(`^${proof};name="Googlebot";id="[0-9a-f-]{36}"$`),
  );
  expect(told['x-guard-session']).toBeUndefined();
});
