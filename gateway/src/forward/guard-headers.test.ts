import type { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import type { ResponseExtras, Validate } from '@guard/config/contract/ports';
import { sampleEvent } from '../../../test/kit/product/sample-event.ts';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { describe, expect, test } from 'vitest';
import { validateWith, GUARD_COOKIE, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { get } from '../testing/raw-client.ts';
import type { HttpOrigin } from '../testing/recording-origin.ts';

const REQUEST = '01939f3a-0000-7000-8000-000000000001';
const SESSION = 'f662c344-76b5-85c7-9d1e-497d800f17a1';
const OTHER_SESSION = 'a662c344-76b5-85c7-9d1e-497d800f17a1';
const CRAWLER = {
  id: '3b0c7f4e-0000-5000-8000-000000000001',
  name: 'Googlebot',
  access_allowed: false,
};

/** Every field at the origin with a name like X-Guard-*, also with `_` in place of `-`. */
function guardFieldsAt({ requests }: HttpOrigin): readonly string[][] {
  return requests.map(({ rawHeaders }) => {
    const lines: string[] = [];
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      if (/^x[-_]guard/i.test(name)) lines.push(`${name}: ${rawHeaders[i + 1] ?? ''}`);
    }
    return lines;
  });
}

/** A validator in this process. It gives facts that its response does not have. */
function answeringWithFacts(
  response: Partial<ForeignValidateResponse>,
  extras: Omit<ResponseExtras, 'event'>,
): Validate {
  return () => ({
    kind: 'answered',
    response: { success: true, decision: 'allow', request_id: REQUEST, ...response },
    extras: { ...extras, event: sampleEvent() },
  });
}

describe('X-Guard-* fields for the origin', () => {
  test('the origin gets the decision, its id, the session and the crawler, each once', async () => {
    const extras = { session: sessionDigest(SESSION), crawlerVerified: true };
    const { port, origin } = await startGatewayWithOrigin({
      validate: answeringWithFacts({ crawler: CRAWLER }, extras),
    });
    await get(port);
    expect(guardFieldsAt(origin)).toEqual([
      [
        'X-Guard-Decision: allow',
        `X-Guard-Request-Id: ${REQUEST}`,
        `X-Guard-Session: ${sessionDigest(SESSION)}`,
        `X-Guard-Crawler: verified;name="Googlebot";id="${CRAWLER.id}"`,
      ],
    ]);
    expect(sessionDigest(SESSION)).toMatch(/^[0-9a-f]{32}$/);
  });

  test('the origin gets no session or crawler when there is none, and only the decision when the validator was not asked', async () => {
    const { port, origin } = await startGatewayWithOrigin({
      skip: ['/skipped'],
      validate: answeringWithFacts(
        { decision: 'not_matched' },
        { session: '', crawlerVerified: false },
      ),
    });
    // The validator did not accept this cookie as a session.
    await get(port, '/', `Cookie: _guard=${SESSION}`);
    await get(port, '/skipped', `Cookie: _guard=${SESSION}`);
    expect(guardFieldsAt(origin)).toEqual([
      ['X-Guard-Decision: allow', `X-Guard-Request-Id: ${REQUEST}`],
      ['X-Guard-Decision: not_matched'],
    ]);
  });

  // CGI, WSGI and FastCGI servers turn `-` into `_`, and some of them every other punctuation mark too.
  test.each([
    'X-Guard-Decision',
    'x-guard-request-id',
    'X-GUARD-SESSION',
    'X_Guard_Session',
    'X-Guard_Crawler',
    'x_guard_crawler',
    'X-Guard-Crawler-Verified',
    'X-Guard-Anything',
    'X-Guard_',
    'X.Guard.Session',
    'X!Guard~Crawler',
  ])('%s of a visitor does not reach the origin', async (name) => {
    const { port, origin } = await startGatewayWithOrigin({
      skip: ['/skipped'],
      validate: answeringWithFacts({}, { session: '', crawlerVerified: false }),
    });
    const forgedField = `${name}: said by the visitor`;
    await get(port, '/', forgedField, forgedField);
    await get(port, '/skipped', forgedField, `Connection: ${name}`);
    expect(origin.requests).toHaveLength(2);
    expect(JSON.stringify(origin.requests)).not.toContain('said by the visitor');
  });

  test.each([
    'Connection: X-Guard-Session',
    'Connection: close, x-guard-crawler, X-Guard-Decision',
  ])('a visitor cannot remove X-Guard-* fields with %s', async (line) => {
    const { port, origin } = await startGatewayWithOrigin({
      validate: answeringWithFacts(
        { crawler: CRAWLER },
        { session: sessionDigest(SESSION), crawlerVerified: false },
      ),
    });
    await get(port, '/', line);
    expect(guardFieldsAt(origin)[0]).toHaveLength(4);
  });
});

describe('facts that come from the response on the wire alone (contract 2.2, 2.4)', () => {
  const cookie = { ...GUARD_COOKIE, value: SESSION };

  test.each<[string, Partial<ForeignValidateResponse>, string[], string[]]>([
    [
      'a session in the response is the current one',
      { cookies: [cookie] },
      [`Cookie: _guard=${OTHER_SESSION}`],
      [`X-Guard-Session: ${sessionDigest(SESSION)}`],
    ],
    [
      'without one, the presented session is the current one',
      {},
      [`Cookie: a=b; _guard=${OTHER_SESSION.toUpperCase()}; c=d`],
      [`X-Guard-Session: ${sessionDigest(OTHER_SESSION)}`],
    ],
    [
      'with several presented sessions, only the validator can say which one is current',
      {},
      [`Cookie: _guard=${OTHER_SESSION}; _guard=${SESSION}`],
      [],
    ],
    ['a value that is not a session id is ignored', {}, ['Cookie: _guard=hello; x_guard=1'], []],
    [
      'a crawler has no session, and its name is only claimed',
      { crawler: CRAWLER },
      [`Cookie: _guard=${OTHER_SESSION}`],
      [`X-Guard-Crawler: claimed;name="Googlebot";id="${CRAWLER.id}"`],
    ],
    [
      'a crawler that is allowed access is verified',
      { crawler: { ...CRAWLER, access_allowed: true } },
      [],
      [`X-Guard-Crawler: verified;name="Googlebot";id="${CRAWLER.id}"`],
    ],
    [
      'a validator cannot end the line or the name early',
      { crawler: { ...CRAWLER, id: 'x"\r\nX: 1', name: 'a"b\\c\r\nX-Evil: é' } },
      [],
      ['X-Guard-Crawler: claimed;name="a\\"b\\\\c??X-Evil: ?"'],
    ],
    [
      'a long name is cut',
      { crawler: { ...CRAWLER, id: '', name: 'n'.repeat(5_000) } },
      [],
      [`X-Guard-Crawler: claimed;name="${'n'.repeat(128)}"`],
    ],
  ])('%s', async (_name, response, visitorFields, guardFields) => {
    const { port, origin } = await startGatewayWithOrigin({
      remote: true,
      validate: validateWith({ request_id: REQUEST, ...response }),
    });
    await get(port, '/', ...visitorFields);
    expect(guardFieldsAt(origin)).toEqual([
      ['X-Guard-Decision: allow', `X-Guard-Request-Id: ${REQUEST}`, ...guardFields],
    ]);
  });
});
