import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { connectHttp1, waitUntil, RawClient, statusOf } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';
import { readWireCases } from '../testing/wire-cases.ts';

const HOST = 'Host: shop.example\r\n';
const cases = readWireCases(join(import.meta.dirname, 'fixtures/wire-cases.txt'), { host: HOST });
const clauses = [...new Set(cases.map(({ clause }) => clause))];

/** The cases of one whole request with no bytes after it. The plain lane reads them first. */
const singleCases = cases.filter(
  ({ bytes }) =>
    /^(?:GET|HEAD)[^]*\r\n\r\n$/.test(bytes) && !/^(?:content-length|transfer-)/im.test(bytes),
);

/** A second request, directly after the request of the case. It closes the connection, so that the test sees the end. */
const NEXT_REQUEST = `GET /behind HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

test('the table of cases is not empty', () => {
  expect(cases.length).toBeGreaterThan(200);
  expect(singleCases.length).toBeGreaterThan(50);
});

describe.each(['TCP', 'TLS'] as const)('over %s', (transport) => {
  describe.each(clauses)('%s', (clause) => {
    const rows = cases.filter((row) => row.clause === clause);
    test.each(rows)('$name → $status', async ({ status, origin: expected, bytes }) => {
      const { origin, seen } = await startSeeingOrigin();
      const rig = await startGateway({
        origin: origin.address,
        // Some cases announce a body that never comes.
        limits: { lingerMs: 50 },
        ...(transport === 'TLS' ? { certificates } : {}),
      });
      const client = new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));
      client.send(bytes + NEXT_REQUEST);
      const received = await client.untilClosed();

      const answerStatus = statusOf(received);
      const isRefused = !(answerStatus < 400);
      const mayBeLost = status.endsWith('/cut') && received === '';
      if (status === '4xx') expect(String(answerStatus)).toMatch(/^[45]\d\d$/);
      else if (!mayBeLost) expect(answerStatus).toBe(Number.parseInt(status, 10));
      const answers = received.match(/HTTP\/1\.1 \d{3} /g) ?? [];
      if (!mayBeLost) expect(answers).toHaveLength(isRefused ? 1 : 2);

      const arrivedRequests = origin.requests.map(
        ({ method, url, body }) => `${method} ${url} ${body}`,
      );
      const expectedRequests = expected === '-' || expected === 'part' ? [] : [expected];
      expect(arrivedRequests.map((line) => line.trim())).toEqual(
        isRefused ? expectedRequests : [...expectedRequests, 'GET /behind'],
      );
      if (isRefused && expected === '-') expect(seen).toEqual([]);
      expect(seen.join('').includes('/behind')).toBe(!isRefused);
    });
  });
});

describe.each(['TCP', 'TLS'] as const)('over %s, alone on its connection', (transport) => {
  test.each(singleCases)(
    '$clause: $name → $status',
    async ({ status, origin: expected, bytes }) => {
      const { origin } = await startSeeingOrigin();
      const rig = await startGateway({
        origin: origin.address,
        ...(transport === 'TLS' ? { certificates } : {}),
      });
      const client = new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));
      client.send(bytes);
      await waitUntil(() => client.isClosed || client.receivedText.includes('\r\n\r\n'));
      const answerStatus = statusOf(client.receivedText);
      if (status === '4xx') expect(String(answerStatus)).toMatch(/^[45]\d\d$/);
      else expect(answerStatus).toBe(Number.parseInt(status, 10));
      client.send(NEXT_REQUEST);
      await client.untilClosed();
      const arrivedRequests = origin.requests.map(({ method, url }) => `${method} ${url}`);
      const expectedRequests = expected === '-' ? [] : [expected.trim()];
      expect(arrivedRequests).toEqual(
        answerStatus < 400 ? [...expectedRequests, 'GET /behind'] : expectedRequests,
      );
    },
  );
});

/** An origin that answers whole requests, and records every byte. */
async function startSeeingOrigin() {
  const seenTitles: string[] = [];
  const origin = await startOrigin((req, res) => {
    req.on('end', () => res.end('hello'));
  });
  origin.server.on('connection', (socket) => {
    socket.on('data', (part: Buffer) => seenTitles.push(part.toString('latin1')));
  });
  return { origin, seen: seenTitles };
}
