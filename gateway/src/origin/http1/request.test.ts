import { describe, expect, test } from 'vitest';
import { allClosed, keepOpenAfter, OK, openClient } from '../../testing/http1-rig.ts';
import { askAndWait, PartedBody, startScripted } from '../../testing/origin-client.ts';
import { waitUntil } from '../../testing/raw-client.ts';

describe('a request that could be read as two requests is not sent (RFC 9112 section 11.1)', () => {
  const threeByteBody = () => new PartedBody([Buffer.from('abc')]);
  test.each([
    ['CR LF in a value', { fields: ['X', 'a\r\nY: b'] }],
    ['a bare LF in a value', { fields: ['X', 'a\nY: b'] }],
    ['a bare CR in a value', { fields: ['X', 'a\r'] }],
    ['NUL in a value', { fields: ['X', 'a\0'] }],
    ['what becomes a line feed in latin1', { fields: ['X', 'a\u010aY: b'] }],
    ['CR LF in a name', { fields: ['X\r\nY', 'a'] }],
    ['a space in a name', { fields: ['Transfer-Encoding ', 'chunked'] }],
    ['no name', { fields: ['', 'a'] }],
    ['CR LF in the target', { target: '/ HTTP/1.1\r\nX: a' }],
    ['a space in the target', { target: '/a b' }],
    ['no target', { target: '' }],
    ['a method that is no token', { method: 'GET /' }],
    ['Transfer-Encoding', { fields: ['transfer-encoding', 'chunked'] }],
    ['Connection', { fields: ['connection', 'x'] }],
    ['a length without a body', { fields: ['Content-Length', '3'] }],
    [
      'another length than the body has',
      { fields: ['Content-Length', '4'], body: threeByteBody() },
    ],
    [
      'a length twice',
      { fields: ['Content-Length', '3', 'content-length', '3'], body: threeByteBody() },
    ],
    ['a length and chunks', { fields: ['Content-Length', '3'], body: PartedBody.chunked([]) }],
  ])('%s', async (_what, request) => {
    const origin = await startScripted(() => keepOpenAfter(OK));
    // First all fields come from the gateway, then some from the gateway and some from the visitor, then all from the
    // visitor.
    for (const visitorFieldCount of [0, 1, 2]) {
      const answer = await askAndWait(openClient(origin.url), {
        ...request,
        visitorFieldCount: visitorFieldCount,
      });
      expect([visitorFieldCount, answer.error?.kind]).toEqual([visitorFieldCount, 'unsendable']);
    }
    expect(origin.sockets).toHaveLength(0);
  });

  test.each([
    ['shorter', 4],
    ['longer', 2],
  ])(
    'a body that is %s than its announced length leaves a broken request',
    async (_what, length) => {
      const origin = await startScripted(() => undefined);
      const body = new PartedBody([Buffer.from('a'), Buffer.from('bc')], length);
      const fields = ['Host', 'a', 'Content-Length', String(length)];
      const answer = await askAndWait(openClient(origin.url), { method: 'POST', fields, body });
      expect(answer.error?.kind).toBe('unsendable');
      expect(body.isStopped).toBe(true);
      await waitUntil(() => allClosed(origin));
      expect((origin.receivedTexts[0] ?? '').split('\r\n\r\n')[1]?.length).not.toBe(length);
    },
  );
});

describe('bodies of requests', () => {
  test('trailers go after the last chunk (RFC 9112 section 7.1.2)', async () => {
    const origin = await startScripted((requestText) => (requestText.endsWith('\r\n\r\n') && requestText.includes('0\r\nX') ? keepOpenAfter(OK) : undefined)); // prettier-ignore
    const body = PartedBody.chunked([Buffer.from('ab')], ['X-Sum', '42', 'x-b', '\xe9']);
    expect((await askAndWait(openClient(origin.url), { method: 'POST', body })).status).toBe(200);
    expect(origin.receivedTexts[0]).toMatch(
      /\r\n\r\n2\r\nab\r\n0\r\nX-Sum: 42\r\nx-b: \xe9\r\n\r\n$/,
    );
  });

  test.each([
    ['a line break in a trailer', ['X', 'a\r\nY: b']],
    ['a trailer without a name', ['', 'b']],
  ])('%s closes the connection before it is written', async (_what, trailers) => {
    const origin = await startScripted(() => undefined);
    const body = PartedBody.chunked([Buffer.from('ab')], trailers);
    const answer = await askAndWait(openClient(origin.url), { method: 'POST', body });
    expect(answer.error?.kind).toBe('unsendable');
    expect(origin.receivedTexts[0]).not.toContain(': b');
  });

  test('POST, PUT and PATCH without a body send Content-Length: 0, and GET does not (RFC 9110 section 8.6)', async () => {
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openClient(origin.url);
    for (const method of ['POST', 'PUT', 'PATCH', 'GET']) await askAndWait(client, { method });
    const heads = origin.receivedTexts.join('').split('\r\n\r\n');
    expect(heads.map((head) => head.includes('\r\nContent-Length: 0'))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('an answer before the end of the upload is complete, and then the connection closes', async () => {
    const origin = await startScripted((requestText) =>
      requestText.includes('ab') ? keepOpenAfter(OK) : undefined,
    );
    const client = openClient(origin.url);
    const body = new PartedBody([Buffer.from('ab')], 1_000);
    body.holdEnd = true;
    const fields = ['Host', 'a', 'Content-Length', '1000'];
    const answer = await askAndWait(client, { method: 'POST', fields, body });
    expect([answer.error, answer.body.toString()]).toEqual([undefined, 'ok']);
    expect(body.isStopped).toBe(true);
    await waitUntil(() => allClosed(origin));
  });
});
