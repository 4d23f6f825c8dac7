import { describe, expect, test } from 'vitest';
import { type RigOptions, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { rawExchange, statusOf } from '../testing/raw-client.ts';
import { selfSigned } from '../testing/self-signed.ts';

const AWAITED_TOKEN = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA';
const PATH = '/.well-known/acme-challenge/';

async function start(options: Partial<RigOptions> = {}) {
  const requestedTokens: string[] = [];
  const { origin, ...rig } = await startGatewayWithOrigin({
    challenges: {
      keyAuthorization: (token) => {
        requestedTokens.push(token);
        return token === AWAITED_TOKEN ? `${AWAITED_TOKEN}.thumbprint` : undefined;
      },
      certificateOf: () => undefined,
    },
    ...options,
  });
  const ask = (method: string, path: string, host = 'shop.example') =>
    rawExchange(
      rig.port,
      `${method} ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: close',
      'Content-Length: 0',
      '',
      '',
    );
  return { ...rig, origin, ask, tokens: requestedTokens };
}

describe('RFC 8555 8.3: an authority checks a host', () => {
  test('a request for an awaited token is answered before the decision, and does not reach the origin', async () => {
    const { ask, questions, events, origin } = await start();
    const answer = await ask('GET', PATH + AWAITED_TOKEN);
    expect(statusOf(answer)).toBe(200);
    expect(answer).toMatch(new RegExp(`\r\n\r\n${AWAITED_TOKEN}\\.thumbprint$`));
    expect(answer).toMatch(/content-type: application\/octet-stream/i);
    expect([questions.length, events.length, origin.requests.length]).toEqual([0, 0, 0]);
  });

  test.each([
    'guess',
    '',
    `${AWAITED_TOKEN}/`,
    `x/${AWAITED_TOKEN}`,
    '..%2f',
    'constructor',
    '__proto__',
  ])('a request for any other token is judged, and goes to the origin: %j', async (token) => {
    const { ask, questions, origin } = await start();
    expect(statusOf(await ask('GET', PATH + token))).toBe(200);
    expect([questions.length, origin.requests.length]).toEqual([1, 1]);
  });

  test('only GET and HEAD to a host of a site get the answer', async () => {
    const { ask, origin, tokens } = await start();
    expect(statusOf(await ask('GET', PATH + AWAITED_TOKEN, 'evil.example'))).toBe(421);
    await ask('POST', PATH + AWAITED_TOKEN);
    expect(origin.requests.map(({ method }) => method)).toEqual(['POST']);
    expect(tokens).toEqual([]);
    expect(await ask('HEAD', PATH + AWAITED_TOKEN)).toMatch(/\r\n\r\n$/);
  });

  test('the answer comes over http, also when http is redirected to https', async () => {
    const { ask } = await start({
      certificates: [selfSigned('shop.example')],
      redirectHttps: true,
    });
    expect(statusOf(await ask('GET', PATH + AWAITED_TOKEN))).toBe(200);
    expect(statusOf(await ask('GET', '/'))).toBe(308);
  });
});
