import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { rawExchange, statusOf } from '../testing/raw-client.ts';

const HOST = 'Host: shop.example';
const CLOSE = 'Connection: close';

/** The values of Max-Forwards at the origin. Undefined when no request reached it. */
async function maxForwardsAtOrigin(method: string, ...sentValues: readonly string[]) {
  const { port, origin } = await startGatewayWithOrigin();
  const fields = sentValues.map((value) => `Max-Forwards: ${value}`);
  const answer = await rawExchange(port, `${method} /x HTTP/1.1`, HOST, CLOSE, ...fields, '', '');
  const [arrived] = origin.requests;
  const raw = arrived?.rawHeaders;
  const values = raw?.filter((_, i) => i % 2 === 1 && raw[i - 1] === 'Max-Forwards');
  return { status: statusOf(answer), values };
}

describe('RFC 9110 7.6.2: Max-Forwards of OPTIONS', () => {
  test.each([
    ['1', '0'],
    ['2', '1'],
    ['010', '9'],
    ['255', '254'],
    ['99999999999999999999', '255'],
  ])('%s is sent on as %s', async (value, valueAtOrigin) => {
    expect(await maxForwardsAtOrigin('OPTIONS', value)).toEqual({
      status: 200,
      values: [valueAtOrigin],
    });
  });

  test.each(['0', '00'])('at %s the gateway itself answers', async (value) => {
    expect(await maxForwardsAtOrigin('OPTIONS', value)).toEqual({ status: 204, values: undefined });
  });

  test.each([[['-1']], [['1.5']], [['x']], [['']], [['1', '1']]])(
    'a value that is not a number stays unchanged: %j',
    async (values) => {
      expect(await maxForwardsAtOrigin('OPTIONS', ...values)).toEqual({
        status: 200,
        values: values,
      });
    },
  );

  test.each(['GET', 'PROPFIND'])('in a %s request Max-Forwards is not changed', async (method) => {
    expect(await maxForwardsAtOrigin(method, '0')).toEqual({ status: 200, values: ['0'] });
  });

  test('Max-Forwards is counted down over HTTP/2 too', async () => {
    const { tlsPort, origin } = await startGatewayWithOrigin({ certificates });
    const ask = (value: string) =>
      exchange(openHttp2(tlsPort), { ':method': 'OPTIONS', ':path': '/x', 'max-forwards': value });
    expect((await ask('0')).status).toBe(204);
    expect((await ask('3')).status).toBe(200);
    expect(origin.requests.map(({ headers }) => headers['max-forwards'])).toEqual(['2']);
  });
});
