import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { frame, FrameClient, headersFrame } from '../testing/http2-client.ts';
import { waitUntil } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';
import { readWireCases } from '../testing/wire-cases.ts';

const REST = ':scheme: https¦:authority: shop.example¦:path: /x';
const cases = readWireCases(join(import.meta.dirname, 'fixtures/stream-cases.txt'), {
  get: `:method: GET¦${REST}`,
  post: `:method: POST¦${REST}`,
});
const clauses = [...new Set(cases.map(({ clause }) => clause))];
const NEXT = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'shop.example'],
  [':path', '/next'],
] as const;

test('the table of cases is not empty', () => {
  expect(cases.length).toBeGreaterThan(60);
});

/** RFC 9113 section 10.3: no HTTP/2 request becomes a different request, or two requests, of HTTP/1.1. */
describe.each(clauses)('%s', (clause) => {
  const rows = cases.filter((row) => row.clause === clause);
  test.each(rows)('$name → $status', async ({ status, origin: expected, bytes }) => {
    const seenTitles: string[] = [];
    const origin = await startOrigin((req, res) => {
      req.on('end', () => res.end('hello'));
    });
    origin.server.on('connection', (socket) => {
      socket.on('data', (part: Buffer) => seenTitles.push(part.toString('latin1')));
    });
    const { tlsPort } = await startGateway({ origin: origin.address, certificates });
    const client = new FrameClient(tlsPort);
    client.send(...requestFrames(bytes));
    const outcome = await client.outcomeOf(1);

    if (status === '200' || status === '204') expect(client.statusOn(1)).toBe(Number(status));
    else if (outcome === 'answered') {
      // `statusOn` gives 0 for a 405, because the static table of HPACK has no 405.
      expect(client.statusOn(1)).toBe(status === '405' ? 0 : 400);
    }
    const arrivedRequests = () =>
      origin.requests.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
    const expectedRequests = expected === '-' ? [] : [expected];
    expect(arrivedRequests()).toEqual(expectedRequests);
    if (expected === '-') expect(seenTitles).toEqual([]);

    if (outcome === 'closed') return;
    client.send(headersFrame(3, NEXT));
    await waitUntil(() => client.statusOn(3) === 200);
    expect(arrivedRequests()).toEqual([...expectedRequests, 'GET /next']);
  });
});

/** The HEADERS frame of a case, and a DATA frame when it has a body. */
function requestFrames(bytes: string): Buffer[] {
  const [section = '', data] = bytes.split('‖');
  const fields = section
    .split('¦')
    .filter((field) => field.trim() !== '')
    .map((field) => {
      const colon = field.indexOf(': ', 1);
      return [field.slice(0, colon), field.slice(colon + 2)] as const;
    });
  const headers = headersFrame(1, fields, data === undefined);
  return data === undefined ? [headers] : [headers, frame(0, 1, 1, Buffer.from(data, 'latin1'))];
}
