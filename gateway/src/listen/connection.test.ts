import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { get } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

/** Sends a request and resets the connection in the same breath; the server can still read the request. */
function sendAndReset(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      const lines = ['GET /reset HTTP/1.1', 'Host: shop.example', 'X-Forwarded-For: 198.51.100.7'];
      socket.write([...lines, '', ''].join('\r\n'), () => socket.resetAndDestroy());
    });
    socket.on('error', () => undefined).on('close', () => resolve());
  });
}

test('who sends a request and resets the connection at once is not taken for a trusted peer', async () => {
  const origin = await startOrigin();
  const rig = await startGateway({ origin: origin.address });
  for (let attempt = 0; attempt < 50; attempt++) await sendAndReset(rig.port);
  // The listener takes connections in their order, so all of them have been taken behind this one.
  await get(rig.port, '/last');
  expect(rig.asked.at(-1)?.url).toBe('http://shop.example/last');
  expect(rig.asked.filter(({ ip }) => ip !== '127.0.0.1')).toEqual([]);
});
