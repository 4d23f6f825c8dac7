import { expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { eventually, get, rawExchange, statusOf } from '../testing/raw-client.ts';
import { refusingAddress, startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const UPLOAD = [
  'POST / HTTP/1.1',
  'Host: shop.example',
  'Connection: close',
  'Content-Length: 2',
  '',
  'ok',
];

test('a pool with a dead origin answers every visitor', async () => {
  const alive = await startOrigin();
  const rig = await startGateway({ origin: [refusingAddress(), alive.address] });
  for (let i = 0; i < 10; i++) expect(statusOf(await get(rig.port, `/${i}`))).toBe(200);
  expect(alive.arrived).toHaveLength(10);
});

test('an upload reaches the other origin, before and after the first one is known to refuse', async () => {
  const time = { now: Date.now() };
  const clock = () => time.now;
  const alive = await startOrigin();
  const rig = await startGateway({ origin: [alive.address, refusingAddress()], clock });
  const upload = async () => statusOf(await rawExchange(rig.port, ...UPLOAD));

  for (let pauses = 0; pauses < 3; pauses++) {
    for (let i = 0; i < 4; i++) expect(await upload()).toBe(200);
    if (pauses === 1) rig.gateway.reload(rig.settings);
    time.now += 1_000;
  }
  await eventually(() => alive.arrived.length === 12);
  expect(alive.arrived.every(({ body }) => body === 'ok')).toBe(true);
});

test('an origin that sends errors still gets its turn', async () => {
  const alive = await startOrigin();
  const odd = await startTcpOrigin((socket) => socket.end('SSH-2.0-x\r\n\r\n'));
  const rig = await startGateway({ origin: [alive.address, odd.address] });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push(statusOf(await get(rig.port)));
  expect(statuses.toSorted()).toEqual([200, 200, 200, 502, 502, 502]);
});

test('when no origin can be reached, each visitor gets that answer', async () => {
  const rig = await startGateway({ origin: [refusingAddress(), refusingAddress()] });
  for (let i = 0; i < 6; i++) expect(statusOf(await get(rig.port))).toBe(502);
});
