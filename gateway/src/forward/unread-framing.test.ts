import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { allow, startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { connectHttp1, waitUntil, get, RawClient, statusOf } from '../testing/raw-client.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Node announces these requests, and then its parser refuses them in the same read. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['a tab behind the coding', 'chunked\t\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['a space and a tab behind it', 'chunked \t\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['a tab behind it, and nothing more yet', 'chunked\t\r\n\r\n'],
  ['an invalid chunk size', 'chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n'],
  ['a bad chunk behind a good one', 'chunked\r\n\r\n3\r\nabc\r\n3\nabc\r\n0\r\n\r\n'],
];

describe.each(['TCP', 'TLS'] as const)('RFC 9112 6.3 and 11.2, over %s', (transport) => {
  const connectTo = (rig: { readonly port: number; readonly tlsPort: number }) =>
    new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));

  describe.each([
    { name: 'decided at once', validate: allow },
    {
      name: 'decided later',
      validate: async (...question: Parameters<typeof allow>) => {
        await new Promise((resolve) => setImmediate(resolve));
        return allow(...question);
      },
    },
  ])('$name', ({ validate }) => {
    test.each(REFUSED)('%s: 400, and the origin gets no byte', async (_what, rest) => {
      const origin = await startTcpOrigin((socket) => socket.write(OK));
      const rig = await startGateway({ origin: origin.address, certificates, validate });
      await get(rig.port, '/warm');
      const client = connectTo(rig);
      client.send('POST /x HTTP/1.1', HOST, `Transfer-Encoding: ${rest}`);
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 400 /);
      // Bytes of the refused request would come before this request on the connection.
      expect(statusOf(await get(rig.port, '/next'))).toBe(200);
      expect(origin.bytes.join('')).not.toContain('/x');
      expect(rig.counterValue('guard_gateway_requests_total', 'refused')).toBe(1);
    });
  });

  test.each(['\tchunked', ' \t chunked', 'chunked  '])(
    'whitespace that RFC 9110 5.5 allows is accepted: %j',
    async (coding) => {
      const { origin, ...rig } = await startGatewayWithOrigin({ certificates });
      const client = connectTo(rig);
      client.send('POST /x HTTP/1.1', HOST, `Transfer-Encoding:${coding}`, '', '3', 'abc', '');
      client.send('0', '', '');
      await client.until(/ 200 OK[^]*hello/);
      await waitUntil(() => origin.requests.length === 1);
      expect(origin.requests[0]?.body).toBe('abc');
      expect(origin.requests[0]?.headers['transfer-encoding']).toBe('chunked');
    },
  );
});
