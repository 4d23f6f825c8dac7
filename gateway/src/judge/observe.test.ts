import { describe, expect, test } from 'vitest';
import { answering, GUARD_COOKIE, html, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { get, headersOf, statusOf } from '../testing/raw-client.ts';

describe('observe', () => {
  test('asks, lets everything pass, and adds nothing to the answer', async () => {
    const { port, asked, origin } = await startGatewayWithOrigin({
      observe: true,
      validate: answering({
        decision: 'block',
        status_code: 418,
        response_html: html('<p>no</p>'),
        headers: { 'X-Validator': '1' },
        cookies: [GUARD_COOKIE],
      }),
    });
    const answer = await get(port);
    expect(statusOf(answer)).toBe(200);
    expect(headersOf(answer, 'x-validator')).toEqual([]);
    expect(headersOf(answer, 'set-cookie')).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(origin.arrived[0]?.headers['x-guard-decision']).toBe('observe');
  });

  test('passes a request that the validator rejected, and records it as such', async () => {
    const { port, events } = await startGatewayWithOrigin({
      observe: true,
      validate: () => ({ kind: 'rejected', status: 400, type: 'invalid_ip' }),
    });
    expect(statusOf(await get(port))).toBe(200);
    expect(events).toMatchObject([{ action: 'allow', decision: 'none', observe: true }]);
  });
});
