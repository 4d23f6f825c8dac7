import type { Ending, Validate } from '@guard/config/contract/ports';
import { expect, test } from 'vitest';
import { sampleEvent } from '../../../test/kit/product/sample-event.ts';
import { certificates, FRONTS, wholeVisit } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { waitUntil, HANDSHAKE, RawClient } from '../testing/raw-client.ts';
import { startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

/** How the gateway classifies an answer for the validator: a document, data, other content, or something else. */

const allowedEvent = {
  action: 'allow',
  decision: 'allow',
  response: 'allow',
  statusCode: 200,
} as const;

const HTML = 'text/html; charset=utf-8';

function recordEndings(method = 'GET') {
  const endings: Ending[] = [];
  const noteEnding = (ending: Ending) => endings.push(ending);
  const validate: Validate = () => ({
    kind: 'answered',
    response: { success: true, decision: 'allow' },
    extras: {
      session: '',
      crawlerVerified: false,
      event: sampleEvent({ ...allowedEvent, method }),
      ended: noteEnding,
    },
  });
  return { endings, validate };
}

test.each<readonly [Ending, number, Readonly<Record<string, string>>]>([
  ['document', 200, { 'content-type': HTML }],
  ['document', 200, { 'content-type': 'application/xhtml+xml' }],
  ['document', 200, { 'content-type': 'text/markdown' }],
  ['document', 200, { 'content-type': 'text/x-wiki; charset=UTF-8' }],
  ['document', 206, { 'content-type': HTML }],
  ['document', 206, { 'content-type': 'multipart/byteranges; boundary=THIS_STRING_SEPARATES' }],
  ['document', 206, { 'content-type': 'multipart/x-byteranges; boundary=x' }],
  // A browser looks at the bodies of these answers to find out their type.
  ['document', 200, {}],
  ['document', 206, {}],
  ['document', 200, { 'content-type': '' }],
  ['document', 200, { 'content-type': '*/*' }],
  ['document', 200, { 'content-type': 'html' }],
  ['document', 200, { 'content-type': 'unknown/unknown' }],
  // Apache sends no type for a file name with an unknown extension.
  ['file', 200, { 'accept-ranges': 'bytes' }],
  ['file', 206, { 'accept-ranges': 'bytes' }],
  ['document', 200, { 'accept-ranges': 'none' }],
  ['document', 200, { 'accept-ranges': 'bytes', 'content-type': HTML }],
  ['data', 200, { 'content-type': 'application/json' }],
  ['data', 200, { 'content-type': 'application/rss+xml' }],
  ['data', 200, { 'content-type': 'text/json' }],
  ['data', 200, { 'content-type': 'application/x-ndjson' }],
  ['data', 200, { 'content-type': 'application/vnd.php.serialized; charset=utf-8' }],
  ['data', 200, { 'content-type': 'text/x-component' }],
  ['data', 200, { 'content-type': 'application/yaml' }],
  ['other', 206, { 'content-type': 'video/mp4' }],
  ['content', 206, { 'content-type': 'application/pdf' }],
  ['content', 200, { 'content-type': 'text/plain' }],
  ['content', 200, { 'content-type': 'application/manifest+json' }],
  ['content', 200, { 'content-type': 'application/dash+xml' }],
  // The type that Debian's Apache and Python give to a part of a film (.ts).
  ['content', 200, { 'content-type': 'text/vnd.trolltech.linguist' }],
  ['content', 200, { 'content-type': 'text/javascript; charset=utf-8' }],
  ['content', 200, { 'content-type': 'text/x-ecmascript' }],
  ['content', 200, { 'content-type': 'text/css' }],
  ['content', 200, { 'content-type': 'application/octet-stream' }],
  ['other', 200, { 'content-type': 'image/svg+xml' }],
  ['other', 200, { 'content-type': 'application/font-woff' }],
  ['other', 200, { 'content-type': 'application/vnd.ms-fontobject' }],
  ['other', 200, { 'content-length': '0' }],
  // wp-cron.php of WordPress.
  ['other', 200, { 'content-type': HTML, 'content-length': '0' }],
  // PHP-FPM sends no length. The first body is empty, and the second one comes later.
  ['other', 200, { 'content-type': HTML, 'x-body': 'none' }],
  ['document', 200, { 'content-type': HTML, 'x-body': 'later' }],
  ['other', 204, {}],
  ['other', 404, { 'content-type': HTML }],
  ['other', 404, {}],
])(
  'the validator learns that the visitor got %s, for %i with %j',
  async (expected, status, fields) => {
    const hasBody =
      status !== 204 && fields['content-length'] === undefined && fields['x-body'] !== 'none';
    const origin = await startOrigin((_req, res) => {
      // Without `flushHeaders` Node would send Content-Length: 0.
      res.writeHead(status, fields).flushHeaders();
      if (fields['x-body'] === 'later') setTimeout(() => res.end('x'), 20);
      else res.end(hasBody ? 'x' : undefined);
    });
    const { endings, validate } = recordEndings();
    const rig = await startGateway({ origin: origin.address, certificates, validate });
    await Promise.all(FRONTS.map((front) => wholeVisit(front, rig)));
    expect(endings).toEqual(FRONTS.map(() => expected));
  },
);

test('an answer to HEAD is neither a document nor data, because it has no body', async () => {
  const origin = await startOrigin((_req, res) => res.setHeader('Content-Type', 'text/json').end());
  const { endings, validate } = recordEndings('HEAD');
  const rig = await startGateway({ origin: origin.address, certificates, validate });
  for (const front of FRONTS) await wholeVisit(front, rig, { method: 'HEAD' });
  expect(endings).toEqual(FRONTS.map(() => 'other'));
});

test('a page in answer to a WebSocket handshake is a document', async () => {
  const page = `HTTP/1.1 200 OK\r\nContent-Type: ${HTML}\r\nContent-Length: 1\r\n\r\nx`;
  const origin = await startTcpOrigin((socket) => socket.write(page));
  const { endings, validate } = recordEndings();
  const visitor = new RawClient(
    (await startGateway({ origin: origin.address, certificates, validate })).port,
  );
  visitor.send(...HANDSHAKE);
  await waitUntil(() => endings.length === 1);
  visitor.socket.destroy();
  expect(endings).toEqual(['document']);
});

test.each<readonly [Ending, string, number, Readonly<Record<string, string>>]>([
  // The answer of a web terminal to a key.
  ['content', 'POST', 200, { 'content-length': '327' }],
  ['content', 'POST', 200, { 'content-length': '1024' }],
  ['document', 'POST', 200, { 'content-length': '1025' }],
  ['document', 'POST', 200, {}],
  ['document', 'GET', 200, { 'content-length': '327' }],
  // A part of a page, and a compressed page.
  ['document', 'POST', 206, { 'content-length': '327' }],
  ['document', 'POST', 200, { 'content-length': '327', 'content-encoding': 'br' }],
])('short HTML in answer to a form or script: %s for %s, %i with %j', async (...row) => {
  const [expected, method, status, fields] = row;
  const origin = await startOrigin((_req, res) => {
    res.writeHead(status, { 'content-type': HTML, ...fields }).flushHeaders();
    res.end('x'.repeat(Number(fields['content-length'] ?? '1')));
  });
  const { endings, validate } = recordEndings(method);
  const rig = await startGateway({ origin: origin.address, certificates, validate });
  await Promise.all(FRONTS.map((front) => wholeVisit(front, rig)));
  expect(endings).toEqual(FRONTS.map(() => expected));
});
