import { describe, expect, test } from 'vitest';
import { chromeHttps, HOME_IP, visit } from '../kit/visitors/visitors.ts';
import { errorType, serveValidator } from './serve-validator.ts';

const validBody = { url: 'https://shop.example/', ip: HOME_IP };

describe('2.1 "url: string, URI, required": the URL exactly as the visitor sent it', () => {
  test.each([
    ['https://shop.example/a?b=c', 'https', 'shop.example', '/a', 'b=c'],
    ['HTTPS://Shop.Example:8443/', 'https', 'shop.example', '/', ''],
    ['https://shop.example./', 'https', 'shop.example', '/', ''],
    ['http://[2001:DB8::1]:8080/x', 'http', '[2001:db8::1]', '/x', ''],
    ['https://bücher.example:8443/', 'https', 'xn--bcher-kva.example', '/', ''],
    ['https://shop.example/a/%2e%2e/b', 'https', 'shop.example', '/a/%2e%2e/b', ''],
    ['https://shop.example/ä b', 'https', 'shop.example', '/ä b', ''],
    ['https://shop.example/a?b#fragment', 'https', 'shop.example', '/a', 'b'],
    ['https://shop.example/a#b?c', 'https', 'shop.example', '/a', ''],
    ['https://shop.example', 'https', 'shop.example', '/', ''],
    ['https://shop.example?q', 'https', 'shop.example', '/', 'q'],
    ['https://shop.example//admin/./x', 'https', 'shop.example', '//admin/./x', ''],
    ['https://shop.example\\admin', 'https', 'shop.example', '/\\admin', ''],
  ])('%s', async (url, scheme, host, path, query) => {
    const { ask, events } = await serveValidator();
    await ask({ ...validBody, url });
    expect(events).toMatchObject([{ scheme, host, path, query }]);
  });

  test.each([
    ['a relative URL', '/path'],
    ['a URL without a scheme', 'shop.example/'],
    ['another scheme', 'ftp://shop.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a URL with credentials', 'https://user:password@shop.example/'],
    ['a URL without a host', 'https:///path'],
    ['a URL with only a port', 'https://:80/'],
    ['another scheme with a host', 'javascript://shop.example/'],
    ['a host with a space', 'https://shop example/'],
    ['a host that is not a name', 'https://shop"example/'],
    ['a Unicode host that is not a name', 'https://\u{fffd}/'],
    ['a line break', 'https://shop.example/a\r\nb'],
    ['NUL', 'https://shop.example/\0'],
    ['half a surrogate pair', 'https://shop.example/\ud83d'],
    ['only white space', '   '],
    ['a number', 7],
    ['a list', ['https://shop.example/']],
  ])('%s is invalid_request', async (_what, url) => {
    const { post, events } = await serveValidator();
    const answer = await post(JSON.stringify({ ...validBody, url }));
    expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
    expect(events).toEqual([]);
  });
});

describe('2.1 "ip: must be a single parseable IP address"', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::', '::'],
  ])('%s is recorded as %s', async (ip, normalised) => {
    const { ask, events } = await serveValidator();
    await ask({ ...validBody, ip });
    expect(events).toMatchObject([{ ip: normalised }]);
  });

  test.each([
    ['a list', '192.0.2.1, 192.0.2.2'],
    ['a port after the address', '192.0.2.1:443'],
    ['brackets', '[2001:db8::1]'],
    ['brackets and a port', '[2001:db8::1]:443'],
    ['a range', '192.0.2.0/24'],
    ['octal', '0300.0.2.1'],
    ['a number with a leading zero', '192.0.2.01'],
    ['hex', '0xc0.0.2.1'],
    ['one number', '3221225985'],
    ['the short form', '192.0.513'],
    ['an octet that is too large', '192.0.2.256'],
    ['a zone on IPv4', '192.0.2.1%eth0'],
    ['an empty zone', 'fe80::1%'],
    ['white space around the address', ' 192.0.2.1'],
    ['only white space', ' '],
    ['a host name', 'shop.example'],
    ['digits of another script', '١٩٢.0.2.1'],
    ['half a surrogate pair', '\ud83d'],
    ['NUL', '192.0.2.1\0'],
    ['a number', 3221225985],
    ['a list of JSON', ['192.0.2.1']],
    ['an object', { v4: '192.0.2.1' }],
    ['false', false],
  ])('%s is invalid_ip', async (_what, ip) => {
    const { post } = await serveValidator();
    const answer = await post(JSON.stringify({ ...validBody, ip }));
    expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_ip']);
  });
});

describe('2.1 "method: string, not required"', () => {
  const rules = '[{ name: form, match: { method: POST }, verdict: block }]';

  test.each(['POST', 'post'])('%s matches a rule for POST', async (method) => {
    const { ask, events } = await serveValidator({ rules });
    expect((await ask({ ...validBody, method })).decision).toBe('block');
    expect(events).toMatchObject([{ method: 'POST' }]);
  });

  test.each([undefined, null, ''])('%j is read as GET', async (method) => {
    const { post, events } = await serveValidator({ rules });
    expect((await post(JSON.stringify({ ...validBody, method }))).status).toBe(200);
    expect(events).toMatchObject([{ method: 'GET' }]);
  });

  test.each([' ', 'GET /', 'GET\n', 'A'.repeat(33), 7, ['GET']])(
    '%j is invalid_request',
    async (method) => {
      const answer = await (await serveValidator()).post(JSON.stringify({ ...validBody, method }));
      expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
    },
  );
});

describe('2.1 "headers: object, string to string, not required"', () => {
  test('upper and lower case do not matter in names', async () => {
    const { ask, events } = await serveValidator();
    await ask({ ...validBody, headers: { 'User-AGENT': 'curl/8.14.1' } });
    expect(events).toMatchObject([{ userAgent: 'curl/8.14.1' }]);
  });

  test('fields whose names differ only in case are one field that was sent twice, and their values are joined in order (RFC 9110 5.3)', async () => {
    const { ask, events } = await serveValidator();
    const headers = { Accept: 'text/html', accept: '*/*', 'X-A': '1', 'x-a': '2' };
    await ask({ ...validBody, headers });
    expect(events[0]?.headers).toMatchObject({ accept: 'text/html, */*', 'x-a': '1, 2' });
  });

  test('two Cookie fields are joined with a semicolon (RFC 9113 8.2.3)', async () => {
    const { ask } = await serveValidator();
    const value = (await ask(visit())).cookies?.[0]?.value ?? '';
    const headers = { ...chromeHttps, Cookie: 'a=b', cookie: `_guard=${value}` };
    expect(await ask(visit({ headers }))).not.toHaveProperty('cookies');
  });

  test.each(['constructor', 'tostring', 'hasownproperty', 'valueof'])(
    'a field with the name %s is a normal field, present or absent',
    async (name) => {
      const rules = `[{ name: odd, match: { header: { ${name}: "1*" } }, verdict: block }]`;
      const { ask } = await serveValidator({ rules });
      expect((await ask({ ...validBody, headers: { [name]: '1' } })).decision).toBe('block');
      expect((await ask({ ...validBody, headers: { other: '1' } })).decision).toBe('allow');
    },
  );

  test('a field with the name __proto__ is a normal field, and changes nothing else', async () => {
    const { post, events } = await serveValidator();
    const headers = '{"__proto__":"1","user-agent":"curl/8.14.1"}';
    const body = JSON.stringify({ ...validBody, headers: 0 }).replace(':0', `:${headers}`);
    expect((await post(body)).status).toBe(200);
    expect(Object.entries(events[0]?.headers ?? {})).toEqual([
      ['__proto__', '1'],
      ['user-agent', 'curl/8.14.1'],
    ]);
  });

  test('pseudo-header fields of HTTP/2 and a field without a value are accepted', async () => {
    const headers = { ':authority': 'shop.example', 'x-empty': '', 'x-blank': '   ' };
    expect((await (await serveValidator()).ask({ ...validBody, headers })).decision).toBe('allow');
  });

  test('half a surrogate pair in a value is recorded as U+FFFD', async () => {
    const { ask, events } = await serveValidator();
    await ask({
      ...validBody,
      headers: { 'user-agent': 'a\ud83db' },
      referrer: 'https://a.example/\ud83d',
    });
    expect(events).toMatchObject([{ userAgent: 'a\ufffdb', referrerOrigin: 'https://a.example' }]);
  });

  test.each([
    ['a list', []],
    ['a text', 'accept: */*'],
    ['a number as value', { accept: 1 }],
    ['a list as value', { 'set-cookie': ['a=b'] }],
    ['null as value', { accept: null }],
    ['an empty name', { '': 'x' }],
    ['a name with a space', { 'a b': 'x' }],
    ['a name with a line break', { 'a\r\nb': 'x' }],
    ['a name with half a surrogate pair', { 'a\udc00': 'x' }],
    ['a value with a line break', { a: 'x\r\nb: y' }],
    ['a value with NUL', { a: 'x\0' }],
  ])('%s is invalid_request', async (_what, headers) => {
    const answer = await (await serveValidator()).post(JSON.stringify({ ...validBody, headers }));
    expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
  });
});

describe('2.1 "referrer: value of the Referer request header"', () => {
  const page = 'https://search.example/find?q=private';
  test.each([
    ['the field', { referrer: page }],
    ['the header', { headers: { Referer: page } }],
    [
      'the field, and not the header',
      { referrer: page, headers: { referer: 'https://x.example/' } },
    ],
  ])('%s: the event has only the page origin of the referrer', async (_what, referrer) => {
    const { ask, events } = await serveValidator();
    await ask({ ...validBody, ...referrer });
    expect(events).toMatchObject([{ referrerOrigin: 'https://search.example' }]);
  });

  test('null means that the field is absent, and other types than text are invalid_request', async () => {
    const { post } = await serveValidator();
    expect(errorType(await post(JSON.stringify({ ...validBody, referrer: 1 })))).toBe(
      'invalid_request',
    );
    expect((await post(JSON.stringify({ ...validBody, referrer: null }))).status).toBe(200);
  });
});

describe('2.1 "cookie: the _guard cookie value as a bare UUID, not the whole Cookie header"', () => {
  async function withSession() {
    const served = await serveValidator();
    return { ...served, value: (await served.ask(visit())).cookies?.[0]?.value ?? '' };
  }

  test('the bare value is the session, in any case', async () => {
    const { ask, value } = await withSession();
    expect(await ask(visit({ cookie: value }))).not.toHaveProperty('cookies');
    expect(await ask(visit({ cookie: value.toUpperCase() }))).not.toHaveProperty('cookies');
  });

  test.each(['', ' ', 'x', '_guard=x', `{}`, 'g'.repeat(36), 'a'.repeat(5000), 7, null, [], {}])(
    '"a malformed value is silently ignored": %j',
    async (cookie) => {
      const { post } = await serveValidator();
      const answer = await post(JSON.stringify({ ...visit(), cookie }));
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ cookies: [{ name: '_guard' }] });
    },
  );

  test('a UUID that Guard did not issue is ignored, too', async () => {
    const cookie = '00000000-0000-4000-8000-000000000000';
    expect((await (await serveValidator()).ask(visit({ cookie }))).cookies).toHaveLength(1);
  });

  test.each([
    ['alone', (id: string) => `_guard=${id}`],
    ['among others', (id: string) => `a=b; _guard=${id}; c=d`],
    ['without the space between cookies', (id: string) => `a=b;_guard=${id}`],
    ['after a malformed cookie', (id: string) => `_guard=; _guard=x; _guard=${id}`],
    [
      'after a cookie whose name only ends with _guard',
      (id: string) => `x_guard=${id.replace(/./g, '0')}; _guard=${id}`,
    ],
  ])(
    '"if omitted, the validator extracts _guard from a Cookie header": %s',
    async (_how, header) => {
      const { ask, value } = await withSession();
      const headers = { ...chromeHttps, Cookie: header(value) };
      expect(await ask(visit({ headers }))).not.toHaveProperty('cookies');
      // An ignored value is the same as an omitted value.
      expect(await ask(visit({ headers, cookie: 'malformed' }))).not.toHaveProperty('cookies');
    },
  );

  test('a cookie with a similar name or value is not a session', async () => {
    const { ask, value } = await withSession();
    for (const cookie of [`x_guard=${value}`, `a="_guard=${value}`, `_GUARD=${value}`]) {
      const headers = { ...chromeHttps, cookie };
      expect((await ask(visit({ headers }))).cookies, cookie).toHaveLength(1);
    }
  });
});
