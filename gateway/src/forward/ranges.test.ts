import { describe, expect, test } from 'vitest';
import { certificates, FRONTS, wholeVisit } from '../testing/fronts.ts';
import { validateWith, startGateway } from '../testing/gateway-rig.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';

const PARTS = [
  '--part',
  'Content-Type: text/plain',
  'Content-Range: bytes 0-1/9',
  '',
  'ab',
  '--part',
  'Content-Type: text/plain',
  'Content-Range: bytes 7-8/9',
  '',
  'h\xe9',
  '--part--',
  '',
].join('\r\n');

describe.each(FRONTS)('over %s, RFC 9110 14: a range is passed on', (front) => {
  test.each([
    {
      what: 'a part',
      headers: { range: 'bytes=0-1' },
      head: ['206 Partial Content', 'Content-Range: bytes 0-1/9', 'ETag: "v1"'],
      body: 'ab',
      seen: { 'content-range': 'bytes 0-1/9', etag: '"v1"' },
    },
    {
      what: 'several parts (14.6)',
      headers: { range: 'bytes=0-1,-2' },
      head: ['206 Partial Content', 'Content-Type: multipart/byteranges; boundary=part'],
      body: PARTS,
      seen: { 'content-type': 'multipart/byteranges; boundary=part' },
    },
    {
      what: 'If-Range that holds (13.1.5)',
      headers: { range: 'bytes=0-1', 'if-range': '"v1"' },
      head: ['206 Partial Content', 'Content-Range: bytes 0-1/9'],
      body: 'ab',
      seen: { 'content-range': 'bytes 0-1/9' },
    },
    {
      what: 'If-Range that does not hold',
      headers: { range: 'bytes=0-1', 'if-range': 'Sat, 21 Nov 2026 10:00:00 GMT' },
      head: ['200 OK', 'Accept-Ranges: bytes'],
      body: 'abcdefgh\xe9',
      seen: { 'accept-ranges': 'bytes' },
    },
    {
      what: 'a range outside of the body (15.5.17)',
      headers: { range: 'bytes=99-' },
      head: ['416 Range Not Satisfiable', 'Content-Range: bytes */9'],
      body: '',
      seen: { 'content-range': 'bytes */9' },
    },
  ])('$what', async ({ headers, head, body, seen }) => {
    const answerHead = [
      `HTTP/1.1 ${head[0] ?? ''}`,
      ...head.slice(1),
      `Content-Length: ${body.length}`,
    ];
    const origin = await startTcpOrigin((socket) =>
      socket.write([...answerHead, '', body].join('\r\n'), 'latin1'),
    );
    // The fields that an allow adds must not describe a body or a part of it.
    const validate = validateWith({ headers: { 'Content-Range': 'bytes 5-6/9', 'X-Added': '1' } });
    const rig = await startGateway({ origin: origin.address, certificates, validate });
    const answer = await wholeVisit(front, rig, { headers });
    expect(answer.status).toBe(Number(head[0]?.slice(0, 3)));
    expect(answer.receivedText).toBe(body);
    expect(answer.headers).toMatchObject({ ...seen, 'x-added': '1' });
    for (const [name, value] of Object.entries(headers)) {
      expect(origin.bytes[0]).toContain(`\r\n${name}: ${value}\r\n`);
    }
  });
});
