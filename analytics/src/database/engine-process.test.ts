import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startServer } from './embedded-process.ts';
import { holdLoopbackPort } from './engine-process.ts';
import { findEngineLibrary } from './library.ts';

/** Listens on a shared port under another user id, and prints the error. */
const STRANGER = `process.setgid(65534); process.setuid(65534);
const server = require('node:net').createServer();
server.on('error', ({ code }) => { console.log(code); });
server.listen({ port: Number(process.argv[1]), host: '127.0.0.1', reusePort: true }, () => {
  console.log('listens'); server.close();
});`;

describe.runIf(process.platform === 'linux')(
  'the reserved port, before the engine listens on it,',
  () => {
    test('is not available to programs that do not share it', async () => {
      const heldPort = await holdLoopbackPort();
      const listening = once(createServer().listen(heldPort.port, '127.0.0.1'), 'listening');
      await expect(listening).rejects.toMatchObject({ code: 'EADDRINUSE' });
      heldPort.release();
    });

    test.runIf(process.getuid?.() === 0)(
      'is not available to another user who tries to share it',
      async () => {
        const heldPort = await holdLoopbackPort();
        const ask = () => spawnSync(process.execPath, ['-e', STRANGER, String(heldPort.port)]);
        expect(ask().stdout.toString().trim()).toBe('EADDRINUSE');
        heldPort.release();
        expect(ask().stdout.toString().trim()).toBe('listens');
      },
    );
  },
);

test('a start makes folders and files with passwords private', async () => {
  const library = await findEngineLibrary();
  if (library.kind === 'missing') throw new Error(library.message);
  const path = mkdtempSync(join(tmpdir(), 'guard-modes-'));
  const access = join(path, 'access');
  mkdirSync(access);
  const files = ['config.xml', 'users.xml'].map((name) => join(access, name));
  for (const file of files) writeFileSync(file, 'of a backup');
  for (const each of [access, ...files]) chmodSync(each, 0o777);
  const startedEngine = await startServer({
    ...{ path, libraryPath: library.path, organisations: [], stopsDeletion: false },
  });
  startedEngine.heldPort.release();
  expect(statSync(access).mode & 0o777).toBe(0o700);
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  startedEngine.database.client.close();
  await startedEngine.process.kill();
  rmSync(path, { recursive: true, force: true });
});
