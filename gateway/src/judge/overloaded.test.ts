import { describe, expect, test } from 'vitest';
import { ask, PROXY_REQUESTS, originalUrlHeaders } from '../../../test/kit/peers/asking-proxies.ts';
import { startForwardAuth } from '../testing/forward-auth-rig.ts';
import { certificates } from '../testing/fronts.ts';
import { startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { HANDSHAKE, get, headersOf, rawExchange, statusOf } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const overloaded = () =>
  ({ kind: 'failed', reason: 'overloaded', detail: 'too many questions' }) as const;

describe('a gateway with too many open questions lets no request pass (RFC 9110 section 15.6.4)', () => {
  test('the visitor gets 503 with Retry-After; the request is counted and recorded', async () => {
    const { origin, ...rig } = await startGatewayWithOrigin({ validate: overloaded, remote: true });
    const answer = await get(rig.port);
    expect([statusOf(answer), headersOf(answer, 'retry-after')]).toEqual([503, ['1']]);
    expect(headersOf(answer, 'cache-control')).toEqual(['no-store']);
    expect(origin.requests).toEqual([]);
    expect(rig.counterValue('guard_gateway_fail_closed_total', 'overloaded')).toBe(1);
    expect(rig.counterValue('guard_gateway_fail_open_total', 'overloaded')).toBe(0);
    expect(rig.events).toMatchObject([{ action: 'block', decision: 'none', statusCode: 503 }]);
  });

  test('a visitor over HTTP/2 and a WebSocket handshake get 503, too', async () => {
    const { origin, ...rig } = await startGatewayWithOrigin({ validate: overloaded, certificates });
    const { status, headers } = await exchange(openHttp2(rig.tlsPort));
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    const refusedAnswer = await rawExchange(rig.port, ...HANDSHAKE);
    expect([statusOf(refusedAnswer), headersOf(refusedAnswer, 'retry-after')]).toEqual([
      503,
      ['1'],
    ]);
    expect(origin.requests).toEqual([]);
  });

  test('each proxy can show the denial, and none lets the request pass', async () => {
    const { forwardAuthUrl: url } = await startForwardAuth({ validate: overloaded });
    const denials = await Promise.all(PROXY_REQUESTS.map(([, asking]) => ask(url, asking)));
    expect(PROXY_REQUESTS.map(([name], i) => [name, denials[i]?.status])).toEqual([
      ['nginx', 403],
      ['haproxy', 403],
      ['caddy', 503],
      ['traefik', 503],
      // Envoy treats a 5xx as a failed question, and may let the request pass.
      ['envoy', 403],
    ]);
    const id = String(denials[0]?.headers['x-guard-answer']);
    const fetching = { path: '/answer', method: 'POST', headers: originalUrlHeaders };
    const page = await ask(url, fetching, { 'x-guard-answer': id });
    expect([page.status, page.headers['retry-after']]).toEqual([503, '1']);
  });

  test('in observe mode the request passes and is recorded', async () => {
    const origin = await startOrigin();
    const site = { origin: origin.address, validate: overloaded, observe: true };
    const { port, events } = await startGateway(site);
    expect(statusOf(await get(port))).toBe(200);
    expect(events).toMatchObject([{ action: 'allow', statusCode: 200, observe: true }]);
  });
});
