import { fork } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { refusingAddress } from '../testing/recording-origin.ts';

function freshPath(name: string): string {
  return join(mkdtempSync(join(tmpdir(), 'guard-')), name);
}

test('a socket file that a killed process left behind is taken over; one that is in use is not', async () => {
  const origin = await refusingAddress();
  const unixPath = freshPath('gateway.sock');
  const script = freshPath('listen.cjs');
  writeFileSync(
    script,
    `require('net').createServer().listen(${JSON.stringify(unixPath)}, () => process.send('up'))`,
  );
  const killed = fork(script);
  await new Promise((resolve) => killed.once('message', resolve));
  const exited = new Promise((resolve) => killed.once('exit', resolve));
  await expect(startGateway({ origin, unixPath })).rejects.toThrow('EADDRINUSE');
  killed.kill('SIGKILL');
  await exited;

  const { url } = await startGateway({ origin, unixPath });
  expect(url).toBe(`unix:${unixPath}`);
  await expect(startGateway({ origin, unixPath })).rejects.toThrow('EADDRINUSE');
});

test('a file that is no socket is left alone', async () => {
  const unixPath = freshPath('data.txt');
  writeFileSync(unixPath, 'precious');
  const origin = await refusingAddress();
  await expect(startGateway({ origin, unixPath })).rejects.toThrow('EADDRINUSE');
});

test('a taken port is an error, not a crash', async () => {
  const { gateway, port } = await startGateway({ origin: await refusingAddress() });
  const other = await startGateway({ origin: await refusingAddress() });
  await other.gateway.close();
  const taken = other.gateway.listen({ kind: 'tcp', host: '127.0.0.1', port });
  await expect(taken).rejects.toThrow('EADDRINUSE');
  await gateway.close();
});
