import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { useProduct } from '../kit/product/use-product.ts';
import { curl } from '../kit/visitors/visitors.ts';

/** These tests check that Guard sends Server-Timing only to a program on this machine that asks for it. */

const ASKING_FIELD = { 'x-guard-server-timing': '1' };
const testbed = useProduct({
  rules: [
    { name: 'shut', match: { path: '/shut/**' }, verdict: 'block' },
    { name: 'open', match: {}, verdict: 'allow' },
  ],
  top: { trusted_proxies: ['127.0.0.3/32'], analytics: undefined },
});

async function timingOf(
  path: string,
  headers: Readonly<Record<string, string>>,
  from = '127.0.0.1',
): Promise<{ readonly status: number; readonly timing: string | undefined }> {
  const visit = request(`${testbed.product.addresses.gateway}${path}`, {
    agent: false,
    localAddress: from,
    headers: { ...curl, ...headers },
  }).end();
  const [answer] = (await once(visit, 'response')) as [IncomingMessage]; // the argument of the event `response`
  await readAll(answer);
  const timing = answer.headers['server-timing'];
  return { status: answer.statusCode ?? 0, timing: timing === undefined ? timing : String(timing) };
}

const DURATION = String.raw`\d+\.\d{3}`;

describe('Server-Timing', () => {
  test('has the times of the decision and of the origin', async () => {
    const { status, timing } = await timingOf('/page', ASKING_FIELD);
    expect(status).toBe(200);
    expect(timing).toMatch(
      new RegExp(`^guard-decide;dur=${DURATION}, guard-origin;dur=${DURATION}$`),
    );
  });

  test('has no time of the origin when Guard itself answers', async () => {
    const { status, timing } = await timingOf('/shut/door', ASKING_FIELD);
    expect(status).toBe(403);
    expect(timing).toMatch(new RegExp(`^guard-decide;dur=${DURATION}$`));
  });

  test('is absent without the request header', async () => {
    expect((await timingOf('/silent', {})).timing).toBeUndefined();
  });

  test('is absent for visitors from another address, or behind a trusted proxy on this machine', async () => {
    expect((await timingOf('/visitor', ASKING_FIELD, '127.0.0.2')).timing).toBeUndefined();
    const relayedFields = { ...ASKING_FIELD, 'x-forwarded-for': '198.51.100.7' };
    expect((await timingOf('/relayed', relayedFields, '127.0.0.3')).timing).toBeUndefined();
    const claimingFields = { ...ASKING_FIELD, 'x-forwarded-for': '127.0.0.1' };
    expect((await timingOf('/claimed', claimingFields, '127.0.0.3')).timing).toBeUndefined();
  });

  test('the origin does not get the request header', async () => {
    await timingOf('/asked', ASKING_FIELD);
    const { headers } = await testbed.origin.arrival('/asked');
    expect(Object.keys(headers)).not.toContain('x-guard-server-timing');
  });

  test('without an SDK of OpenTelemetry, the origin gets the traceparent of the visitor unchanged', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await timingOf('/untraced', { traceparent });
    const { headers } = await testbed.origin.arrival('/untraced');
    expect(headers['traceparent']).toBe(traceparent);
  });
});
