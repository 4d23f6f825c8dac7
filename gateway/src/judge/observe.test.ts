import { describe, expect, test } from 'vitest';
import {
  validateWith,
  GUARD_COOKIE,
  encodeHtml,
  startGatewayWithOrigin,
} from '../testing/gateway-rig.ts';
import { get, headersOf, statusOf } from '../testing/raw-client.ts';

describe('observe', () => {
  test('asks, lets everything pass, and adds nothing to the answer', async () => {
    const { port, questions, origin } = await startGatewayWithOrigin({
      observe: true,
      validate: validateWith({
        decision: 'block',
        status_code: 418,
        response_html: encodeHtml('<p>no</p>'),
        headers: { 'X-Validator': '1' },
        cookies: [GUARD_COOKIE],
      }),
    });
    const answer = await get(port);
    expect(statusOf(answer)).toBe(200);
    expect(headersOf(answer, 'x-validator')).toEqual([]);
    expect(headersOf(answer, 'set-cookie')).toEqual([]);
    expect(questions).toHaveLength(1);
    expect(origin.requests[0]?.headers['x-guard-decision']).toBe('observe');
  });

  test('passes a request that the validator rejected, and records it as rejected', async () => {
    const { port, events } = await startGatewayWithOrigin({
      observe: true,
      validate: () => ({ kind: 'rejected', status: 400, type: 'invalid_ip' }),
    });
    expect(statusOf(await get(port))).toBe(200);
    expect(events).toMatchObject([{ action: 'allow', decision: 'none', observe: true }]);
  });
});
