import { parseSettings } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { atOnce } from '@guard/config/time/slices';
import { allocateStore } from '@guard/validator';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../test/kit/free-port.ts';
import { send } from '../../../test/kit/http.ts';
import { toPieces } from '../reload/settings-pieces.ts';
import { WorkerHandle } from './worker-handle.ts';

function settingsFor(port: number, host: string, rules = ''): Settings {
  const text = `
version: 1
listen: { gateway: '127.0.0.1:${port}' }
secret: gateway-worker-test-4b3a2c1d0e9f8a7b
organisations: [{ id: acme, rules: [${rules}] }]
sites: [{ hosts: [${host}], organisation: acme, origin: 'http://127.0.0.1:9', protect: [] }]
`;
  const parsed = parseSettings(text, { file: 'guard.yaml', baseDir: '/', env: {} });
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.settings;
}

test('a worker uses new settings that it gets before it listens', async () => {
  const port = await freePort();
  const reloadResult = Promise.withResolvers<string | undefined>();
  // A deployment with these settings takes longer to build than one with the new settings.
  const rules = Array.from(
    { length: 1_000 },
    (_, at) => `{ name: r${at}, match: { path: { regex: '^/(a|b)+${at}$' } }, detect: true }`,
  );
  const before = settingsFor(port, 'before.example', rules.join());
  const worker = new WorkerHandle(
    new URL('./gateway-worker.ts', import.meta.url),
    {
      settings: before,
      addresses: { gateway: `http://127.0.0.1:${port}` },
      memory: allocateStore(),
      backlog: new Int32Array(new SharedArrayBuffer(4)),
    },
    {
      onMessage: (_worker, message) => {
        if (message.kind === 'reloaded') reloadResult.resolve(message.fault);
      },
      onEnd: (_worker, reason) => {
        reloadResult.reject(new Error(reason));
      },
    },
  );
  onTestFinished(() => worker.end(1_000));
  const { listen, store, analytics, workers } = before;
  worker.send({
    kind: 'reload',
    pieces: atOnce(toPieces(settingsFor(port, 'after.example'))),
    atStart: { listen, store, analytics, workers },
    revision: 'after',
    number: 1,
  });
  await worker.started;
  expect(await reloadResult.promise).toBeUndefined();
  const statusOf = async (host: string) =>
    (await send(`http://127.0.0.1:${port}/`, { headers: { host } })).status;
  // 421 means that no such site exists. 502 means that the site exists but no server listens at its origin.
  expect(await statusOf('before.example')).toBe(421);
  expect(await statusOf('after.example')).toBe(502);
});
