import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { loadSettings } from '@guard/config/settings/load';
import { onTestFinished, expect, test } from 'vitest';
import { startProgram } from '../../../test/kit/examples/example-program.ts';
import { freePort } from '../../../test/kit/free-port.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { runCommand } from '../testing/run-command.ts';
import { placesEnvironment, readPlaces } from './places.ts';

const SETTINGS = fileURLToPath(new URL('../../../examples/shop/guard.yaml', import.meta.url));
const KEYS = {
  GUARD_SECRET: '9f2c7b1e5a8d4036c1e7f4b2a9d85036',
  DEMO_SECRET_KEY: 'sk_9f2c7b1e5a8d4036c1e7f4b2',
  DEMO_ANALYTICS_KEY: 'sk_api_ro_9f2c7b1e5a8d4036',
  DEMO_ORIGIN: 'http://127.0.0.1:1',
  DEMO_DATA: testFolder(),
};

/** The addresses and hosts of the demo with these options. */
function demoWith(port?: string, host?: string) {
  const places = readPlaces(port, host);
  if (typeof places === 'string') throw new Error(places);
  const result = loadSettings(SETTINGS, { ...KEYS, ...placesEnvironment(places) });
  if (result.kind !== 'loaded') throw new Error(JSON.stringify(result.problems));
  const { listen, sites } = result.settings;
  const at = Object.entries(listen).flatMap(([name, to]) =>
    typeof to === 'object' && to.kind === 'tcp' ? [[name, `${to.host} ${to.port}`]] : [],
  );
  return { at: Object.fromEntries(at) as Record<string, string>, hosts: sites[0]?.hosts };
}

test('--port moves all ports of the demo by the same distance, and with --port 0 the system chooses each port', () => {
  const usualDemo = demoWith();
  expect(usualDemo.at).toMatchObject({ gateway: '127.0.0.1 8080', admin: '127.0.0.1 9090' });
  expect(usualDemo.hosts).toEqual(['localhost', '127.0.0.1']);
  const places = demoWith('9000').at;
  expect(places).toMatchObject({
    gateway: '127.0.0.1 9000',
    validator: '127.0.0.1 9001',
    dashboard: '127.0.0.1 9005',
    admin: '127.0.0.1 10010',
  });
  expect(Object.keys(places)).toEqual(Object.keys(usualDemo.at));
  expect(new Set(Object.values(demoWith('0').at))).toEqual(new Set(['127.0.0.1 0']));
});

test('--host opens the gateway to other machines under any name, and no other service', () => {
  const { at, hosts } = demoWith(undefined, '0.0.0.0');
  const { gateway, ...others } = at;
  expect(gateway).toBe('0.0.0.0 8080');
  for (const [name, to] of Object.entries(others))
    expect([name, to]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1 /)]);
  expect(hosts).toContain('*');
  expect(demoWith('0', '::').at['gateway']).toBe(':: 0');
});

test.each([
  [['--demo', '--port', '64526'], 'expected 0 for free ports, or 1 to 64525'],
  [['--demo', '--port', '80a'], '--port: found 80a'],
  [['--demo', '--host', 'shop.example'], '--host: found shop.example'],
  [['--config', 'guard.yaml', '--port', '9000'], '--port and --host are for the demo'],
  [['--config', 'guard.yaml', '--host', '0.0.0.0'], '--port and --host are for the demo'],
])('guard start %j is refused', async (args, message) => {
  const { code, stderr } = await runCommand('start', ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('the message names --port when another program uses a port of the demo', async () => {
  // The system must not choose this port: the demo also uses the next ports, and another test can have them.
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const args = ['bin/guard.mjs', 'start', '--demo', '--port', String(port)];
  // This is another data folder than usual, because a demo of this repository can be running.
  const env = { DEMO_DATA: KEYS.DEMO_DATA };
  const { code, stderr } = await startProgram(process.execPath, args, env).ended();
  expect(code).toBe(1);
  expect(stderr).toContain(`listen.gateway 127.0.0.1:${port}: another program listens there`);
  expect(stderr).toContain('guard start --demo --port 9000');
});
