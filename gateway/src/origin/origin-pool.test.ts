import { expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { get, rawExchange, statusOf } from '../testing/raw-client.ts';
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
  const rig = await startGateway({ origin: [await refusingAddress(), alive.address] });
  for (let i = 0; i < 10; i++) expect(statusOf(await get(rig.port, `/${i}`))).toBe(200);
  expect(alive.arrived).toHaveLength(10);
});

test('what cannot be sent again goes past an origin that refused before, until it is tried again', async () => {
  const time = { now: Date.now() };
  const clock = () => time.now;
  const alive = await startOrigin();
  const rig = await startGateway({ origin: [alive.address, await refusingAddress()], clock });
  const upload = async () => statusOf(await rawExchange(rig.port, ...UPLOAD));
  const uploads = async () => [await upload(), await upload(), await upload(), await upload()];

  for (let i = 0; i < 2; i++) expect(statusOf(await get(rig.port))).toBe(200);
  expect(await uploads()).toEqual([200, 200, 200, 200]);
  rig.gateway.reload(rig.settings);
  expect(await uploads()).toEqual([200, 200, 200, 200]);
  time.now += 1_000;
  expect((await uploads()).toSorted()).toEqual([200, 200, 200, 502]);
  time.now += 1_000;
  expect(await uploads()).toEqual([200, 200, 200, 200]);
});

test('an origin that answers badly is no origin that is gone: it keeps its turn', async () => {
  const alive = await startOrigin();
  const odd = await startTcpOrigin((socket) => socket.end('SSH-2.0-x\r\n\r\n'));
  const rig = await startGateway({ origin: [alive.address, odd.address] });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push(statusOf(await get(rig.port)));
  expect(statuses.toSorted()).toEqual([200, 200, 200, 502, 502, 502]);
});

test('where every origin is gone each visitor is told so, and none is told anything else', async () => {
  const rig = await startGateway({ origin: [await refusingAddress(), await refusingAddress()] });
  for (let i = 0; i < 6; i++) expect(statusOf(await get(rig.port))).toBe(502);
});
