import { describe, expect, onTestFinished, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { allow, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { frame, FrameClient, headersFrame } from '../testing/http2-client.ts';

const RST_STREAM = 3;
const REQUESTS = 90;
const fields = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'shop.example'],
  [':path', '/'],
] as const;

/** Sends many requests, each with the bytes that end it, and one more request in one TLS record. */
async function sendAtOnce(ending: (stream: number) => Buffer) {
  let turn = 0;
  let counting = setImmediate(function count() {
    turn++;
    counting = setImmediate(count);
  });
  onTestFinished(() => {
    clearImmediate(counting);
  });
  /** The turn of the event loop in which each request was judged. */
  const turns: number[] = [];
  const rig = await startGatewayWithOrigin({
    certificates,
    validate: (request, context) => {
      turns.push(turn);
      return allow(request, context);
    },
  });
  const client = new FrameClient(rig.tlsPort);
  const last = 2 * REQUESTS + 1;
  const frames: Buffer[] = [];
  for (let id = 1; id < last; id += 2) frames.push(headersFrame(id, fields), ending(id));
  client.send(Buffer.concat([...frames, headersFrame(last, fields)]));
  expect(await client.outcomeOf(last)).toBe('answered');
  return { ...rig, turns };
}

describe('RFC 9113 5.1.2: many requests in one packet', () => {
  test('are judged in several turns, between which other visitors are served', async () => {
    const { turns } = await sendAtOnce(() => Buffer.alloc(0));
    expect(turns).toHaveLength(REQUESTS + 1);
    const inTheSameTurn = turns.map((turn) => turns.filter((other) => other === turn).length);
    expect(Math.max(...inTheSameTurn)).toBeLessThanOrEqual(16);
  });

  test('are not judged when the visitor has already reset them', async () => {
    const CANCEL = Buffer.from([0, 0, 0, 8]);
    const { turns, counterValue } = await sendAtOnce((id) => frame(RST_STREAM, 0, id, CANCEL));
    expect(turns).toHaveLength(1);
    expect(counterValue('guard_gateway_requests_total', 'aborted')).toBe(REQUESTS);
  });
});
