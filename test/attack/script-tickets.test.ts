import { describe, expect, test } from 'vitest';
import { send } from '../kit/http.ts';
import { type Served, serveValidator } from '../spec/serve-validator.ts';
import { type Challenged, openPage, person, post, uploadOf } from './challenged-visitor.ts';
import { countedStore } from './counted-store.ts';

const ORIGIN = 'https://shop.example';
const ANOTHER = 'https://www.shop.example';

/** An organisation with a site key, and pages of two origins that may use it. */
function withScript() {
  const store = countedStore();
  const organisation = { site_key: 'site_acme', script_origins: [ORIGIN, ANOTHER] };
  return { ...store, options: { store: store.store, organisation } };
}

/** Sends `POST /session` to the real listener, as the browser script does when it needs a ticket. */
async function openScriptSession(origin: string, { collectorUrl }: Served): Promise<Challenged> {
  const { status, body } = await send(`${collectorUrl}/session?site_key=site_acme`, {
    method: 'POST',
    headers: { ...person.headers, origin },
  });
  expect(status).toBe(200);
  const ticket = JSON.parse(body) as { ticket: string; cookie: { value: string } };
  return {
    ticket: ticket.ticket,
    session: ticket.cookie.value,
    reference: '',
  };
}

describe('4.7 an upload of the browser script is "origin-checked, tied to the site key"', () => {
  test('an upload passes from the page that asked for its ticket, for the organisation of the key', async () => {
    const { keptSessions, options } = withScript();
    const served = await serveValidator(options);
    const page = await openScriptSession(ORIGIN, served);
    const answer = await post(served, uploadOf(page), { origin: ORIGIN });
    expect([answer.status, answer.body]).toEqual([200, '{"result":"reload"}']);
    expect(keptSessions).toMatchObject([{ session: { state: 'verified', organisation: 'acme' } }]);
  });

  test.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['another page that may use the key', { origin: ANOTHER }],
    ['the same host on plain http', { origin: 'http://shop.example' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a client that sends no Origin', undefined],
  ])('an upload does not pass from %s', async (_who, headers) => {
    const { keptSessions, options } = withScript();
    const served = await serveValidator(options);
    const page = await openScriptSession(ORIGIN, served);
    const answer = await post(served, uploadOf(page), headers);
    expect([answer.status, answer.body]).toEqual([200, '{"result":"failed"}']);
    expect(served.events.at(-1)).toMatchObject({ blockReasons: ['challenge_invalid'] });
    expect(keptSessions).toEqual([]);
  });

  test('a challenge page can upload under any host name that the proxies of its visitor use', async () => {
    const { store, keptSessions } = countedStore();
    const rules = '[{ name: r, match: {}, challenge: always }]';
    const served = await serveValidator({ store, rules });
    const page = await openPage(served);
    const origin = 'https://shop.example:8443';
    expect((await post(served, uploadOf(page), { origin })).body).toBe('{"result":"reload"}');
    expect(keptSessions).toHaveLength(1);
  });
});

test('a flood of tickets for the script leaves only the count of its network in the store', async () => {
  const { calls, options } = withScript();
  const served = await serveValidator(options);
  for (let i = 0; i < 200; i += 1) await openScriptSession(ORIGIN, served);
  expect(calls).toEqual({ session: 0, keepSession: 0, spend: 0, take: 200 });
});
