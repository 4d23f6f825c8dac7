import { expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { certificates } from '../testing/fronts.ts';
import { startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { FrameClient, headersFrame } from '../testing/http2-client.ts';
import { waitUntil, RawClient } from '../testing/raw-client.ts';

const PIECES = [
  '/', '//', '/./', '/../', '\\', '..', '%2e%2e', '%2E', '%2f', '%5c', '%252f', '%00', '%0d%0a', ';x=1', '..;', ':',
  '%c0%af', '%u002f', '%', '%zz', 'admin', 'ADMIN', 'a', '?', '?a=/../b', '&', '*', '"', '<', '|', '^', '{', '~',
] as const; // prettier-ignore

test.each(['HTTP/1.1', 'HTTP/2'] as const)(
  'over %s the validator and the origin see the bytes of the path that were sent',
  async (protocol) => {
    const random = seededRandom();
    console.log(`raw paths: seed ${random.seed}`);
    const paths = Array.from(
      { length: 40 },
      (_, i) => `/${i}${Array.from({ length: 6 }, () => random.pick(PIECES)).join('')}`,
    );
    const { port, tlsPort, questions, origin } = await startGatewayWithOrigin({ certificates });
    if (protocol === 'HTTP/1.1') {
      // A connection may have at most 16 waiting requests (limits.ts).
      for (let first = 0; first < paths.length; first += 10) {
        const client = new RawClient(port);
        for (const path of paths.slice(first, first + 10)) {
          client.send(`GET ${path} HTTP/1.1`, 'Host: shop.example', '', '');
        }
      }
    } else {
      const client = new FrameClient(tlsPort);
      const fieldsOf = (path: string) =>
        [
          [':method', 'GET'],
          [':scheme', 'https'],
          [':authority', 'shop.example'],
          [':path', path],
        ] as const;
      client.send(...paths.map((path, i) => headersFrame(2 * i + 1, fieldsOf(path))));
    }
    await waitUntil(() => origin.requests.length === paths.length);
    const scheme = protocol === 'HTTP/1.1' ? 'http' : 'https';
    const order = (list: readonly string[]) => [...list].sort();
    expect(order(origin.requests.map(({ url }) => url)), `seed ${random.seed}`).toEqual(
      order(paths),
    );
    expect(order(questions.map(({ url }) => url)), `seed ${random.seed}`).toEqual(
      order(paths.map((path) => `${scheme}://shop.example${path}`)),
    );
  },
);
