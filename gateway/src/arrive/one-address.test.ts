import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type Rig, type RigOptions, startGatewayWithOrigin } from '../testing/gateway-rig.ts';

const MINUTE_MS = 60_000;

/** A gateway whose clock the test moves, and a way to send many requests to it. */
async function startWatched(options: Partial<RigOptions> = {}) {
  const time = { ms: Date.UTC(2026, 0, 1) };
  const rig = await startGatewayWithOrigin({ clock: () => time.ms, ...options });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  onTestFinished(() => {
    agent.destroy();
  });
  const send = (headers: Readonly<Record<string, string>>, localAddress = '127.0.0.1') =>
    new Promise<void>((resolve, reject) => {
      const target = { host: '127.0.0.1', port: rig.port, agent, localAddress };
      request({ ...target, headers: { host: 'shop.example', ...headers } }, (res) => {
        res.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  const visitManyTimes = async (
    count: number,
    headersOf: (index: number) => Record<string, string>,
    localAddressOf: (index: number) => string = () => '127.0.0.1',
  ) => {
    await Promise.all(
      Array.from({ length: count }, (_, index) => send(headersOf(index), localAddressOf(index))),
    );
  };
  return { rig, time, visitManyTimes };
}

function warnings({ logEntries }: Rig) {
  const events = ['gateway_one_address', 'gateway_untrusted_proxy'];
  return logEntries.filter(({ event }) => events.includes(event)).map(({ fields }) => fields);
}

const noHeaders = () => ({});
const forwardedHeaders = (index: number) => ({ 'x-forwarded-for': `198.51.100.${index % 250}` });

test('a private proxy that is not trusted is named in the log after the first requests', async () => {
  const { rig, visitManyTimes } = await startWatched();
  await visitManyTimes(127, forwardedHeaders);
  expect(warnings(rig)).toEqual([]);
  await visitManyTimes(1, forwardedHeaders);
  expect(warnings(rig)).toEqual([
    {
      addresses: '127.0.0.1',
      requests: 128,
      advice:
        "nearly all requests come from 127.0.0.1 with X-Forwarded-For or Forwarded, which is not believed: if these are proxies of yours and write the header themselves, add to guard.yaml: trusted_proxies: ['127.0.0.1']",
    },
  ]);
  expect(rig.gaugeValue('guard_gateway_one_address')).toBe(1);
});

test('several balancers of one site are named together', async () => {
  const { rig, visitManyTimes } = await startWatched();
  await visitManyTimes(128, forwardedHeaders, (index) => `127.0.0.${2 + (index % 3)}`);
  const [warning] = warnings(rig);
  expect(String(warning?.['addresses']).split(', ').toSorted()).toEqual([
    '127.0.0.2',
    '127.0.0.3',
    '127.0.0.4',
  ]);
  expect(warning?.['advice']).toMatch(
    /trusted_proxies: \['127\.0\.0\.\d', '127\.0\.0\.\d', '127\.0\.0\.\d'\]$/,
  );
  expect(rig.gaugeValue('guard_gateway_one_address')).toBe(0);
});

test('only a few addresses are named in the log', async () => {
  const { rig, visitManyTimes } = await startWatched();
  await visitManyTimes(128, forwardedHeaders, (index) => `127.0.1.${1 + (index % 100)}`);
  expect(warnings(rig)).toEqual([]);
});

test('the warning ends when the proxy is trusted, as the log advises', async () => {
  const { rig, visitManyTimes } = await startWatched();
  await visitManyTimes(128, forwardedHeaders);
  rig.gateway.reload({ ...rig.settings, trustedProxies: ['127.0.0.1'] });
  expect(rig.gaugeValue('guard_gateway_one_address')).toBe(0);
  await visitManyTimes(512, forwardedHeaders);
  expect(warnings(rig)).toHaveLength(1);
  expect(rig.gaugeValue('guard_gateway_one_address')).toBe(0);
});

test('without forwarded headers the warning needs minutes and some hundred requests', async () => {
  const { rig, time, visitManyTimes } = await startWatched();
  await visitManyTimes(600, noHeaders);
  expect(warnings(rig)).toEqual([]);
  time.ms += 5 * MINUTE_MS;
  await visitManyTimes(128, noHeaders);
  expect(warnings(rig)).toMatchObject([{ address: '127.0.0.1', requests: 640 }]);
  expect(String(warnings(rig)[0]?.['advice'])).toMatch(/trusted_proxies.*listen\.proxy_protocol/);
});

test('the log gets one line an hour, and the gauge shows the last window', async () => {
  const { rig, time, visitManyTimes } = await startWatched({ trustedProxies: ['127.0.0.1'] });
  const window = async (headersOf: (index: number) => Record<string, string>) => {
    time.ms += 5 * MINUTE_MS;
    await visitManyTimes(512, headersOf);
  };
  await window(noHeaders);
  await window(noHeaders);
  expect(warnings(rig)).toHaveLength(1);
  expect(rig.gaugeValue('guard_gateway_one_address')).toBe(1);
  await window(forwardedHeaders);
  expect(rig.gaugeValue('guard_gateway_one_address')).toBe(0);
  time.ms += 60 * MINUTE_MS;
  await window(noHeaders);
  await window(noHeaders);
  expect(warnings(rig)).toHaveLength(2);
});

test('many visitors cause no warning, even when one sends half of all requests', async () => {
  const { rig, time, visitManyTimes } = await startWatched({ trustedProxies: ['127.0.0.1'] });
  time.ms += 5 * MINUTE_MS;
  await visitManyTimes(512, (index) => forwardedHeaders(index % 2 === 0 ? 0 : index));
  expect(warnings(rig)).toEqual([]);
});

test('the advice for a public address says that the address may be one visitor', async () => {
  const { rig, time, visitManyTimes } = await startWatched({ trustedProxies: ['127.0.0.1'] });
  time.ms += 5 * MINUTE_MS;
  await visitManyTimes(512, () => ({ 'x-forwarded-for': '198.51.100.7' }));
  expect(warnings(rig)).toMatchObject([{ address: '198.51.100.7' }]);
  expect(String(warnings(rig)[0]?.['advice'])).toMatch(/^if 198\.51\.100\.7 is a proxy of yours/);
});

test('a visitor who sends X-Forwarded-For causes no advice while other visitors come', async () => {
  const { rig, time, visitManyTimes } = await startWatched({ trustedProxies: ['127.0.0.1'] });
  time.ms += 5 * MINUTE_MS;
  // Eight of ten requests come from one visitor. The visitor sends an invented address, and the proxy adds the real
  // address after it.
  await visitManyTimes(1024, (index) => ({
    'x-forwarded-for': index % 5 === 0 ? `203.0.113.${index % 250}` : '10.0.0.9, 198.51.100.7',
  }));
  expect(warnings(rig)).toEqual([]);
});

test('a site with few visitors logs nothing', async () => {
  const { rig, time, visitManyTimes } = await startWatched();
  await visitManyTimes(256, noHeaders);
  time.ms += 61 * MINUTE_MS;
  await visitManyTimes(256, noHeaders);
  expect(warnings(rig)).toEqual([]);
});
