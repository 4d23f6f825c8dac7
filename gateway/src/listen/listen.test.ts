import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshPath } from '../testing/fresh-path.ts';
import { startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { bodyOf, RawClient } from '../testing/raw-client.ts';
import { refusingAddress } from '../testing/recording-origin.ts';

/** One request to an address or a unix socket; resolves to the whole answer. */
function ask(address: { host: string; port: number } | { path: string }, ...headers: string[]) {
  const client = new RawClient(connect(address));
  client.send('GET / HTTP/1.1', 'Host: shop.example', 'Connection: close', ...headers, '', '');
  return client.untilClosed();
}

/** An origin that listens at an address which the test chooses. */
async function originAt(address: { host: string; port: number } | { path: string }) {
  const server = createServer((_req, res) => res.end('hello'));
  server.listen(address);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const boundAddress = server.address() as AddressInfo | string; // The server listens, so its address is not null.
  return typeof boundAddress === 'string'
    ? `unix:${boundAddress}`
    : `http://[::1]:${boundAddress.port}`;
}

describe('IPv6 and both families', () => {
  test('[::1]: the addresses of the visitor and of the chain have the IPv6 form of RFC 5952', async () => {
    const { origin, ...rig } = await startGatewayWithOrigin({ host: '::1' });
    expect(rig.url).toBe(`http://[::1]:${rig.port}`);
    expect(bodyOf(await ask({ host: '::1', port: rig.port }))).toBe('hello');
    expect(rig.questions[0]?.ip).toBe('::1');
    expect(origin.requests[0]?.headers['x-forwarded-for']).toBe('::1');
  });

  test('[::] accepts both families; an IPv4 visitor has its IPv4 address, and is trusted by it', async () => {
    const trustedProxies = ['127.0.0.0/8', '::1'];
    const rig = await startGatewayWithOrigin({ host: '::', trustedProxies });
    for (const host of ['127.0.0.1', '::1']) await ask({ host, port: rig.port });
    for (const host of ['127.0.0.1', '::1']) {
      await ask({ host, port: rig.port }, 'X-Forwarded-For: 2001:DB8::7');
    }
    expect(rig.questions.map(({ ip }) => ip)).toEqual([
      '127.0.0.1',
      '::1',
      '2001:db8::7',
      '2001:db8::7',
    ]);
  });

  test('an origin at [::1] is reached', async () => {
    const rig = await startGateway({ origin: await originAt({ host: '::1', port: 0 }) });
    expect(bodyOf(await ask({ host: '127.0.0.1', port: rig.port }))).toBe('hello');
  });
});

test('a gateway listens on a unix socket and reaches an origin on a unix socket', async () => {
  const unixPath = freshPath('gateway.sock');
  const origin = await originAt({ path: freshPath('origin.sock') });
  const rig = await startGateway({ origin, unixPath });
  expect(bodyOf(await ask({ path: unixPath }))).toBe('hello');
  expect(rig.questions[0]?.ip).toBe('127.0.0.1');
});

test('a socket file of a killed process is replaced; a socket file in use is not replaced', async () => {
  const origin = refusingAddress();
  const unixPath = freshPath('gateway.sock');
  const script = freshPath('listen.cjs');
  writeFileSync(
    script,
    `require('net').createServer().listen(${JSON.stringify(unixPath)}, () => process.send('up'))`,
  );
  const killedProcess = fork(script);
  await new Promise((resolve) => killedProcess.once('message', resolve));
  const processExit = new Promise((resolve) => killedProcess.once('exit', resolve));
  await expect(startGateway({ origin, unixPath })).rejects.toThrow('EADDRINUSE');
  killedProcess.kill('SIGKILL');
  await processExit;

  const { url } = await startGateway({ origin, unixPath });
  expect(url).toBe(`unix:${unixPath}`);
  await expect(startGateway({ origin, unixPath })).rejects.toThrow('EADDRINUSE');
});

test('a file that is not a socket is not touched', async () => {
  const unixPath = freshPath('data.txt');
  writeFileSync(unixPath, 'precious');
  const origin = refusingAddress();
  await expect(startGateway({ origin, unixPath })).rejects.toThrow('EADDRINUSE');
});

test('a port that is in use causes an error, and not a crash', async () => {
  const { gateway, port } = await startGateway({ origin: refusingAddress() });
  const otherRig = await startGateway({ origin: refusingAddress() });
  await otherRig.gateway.close();
  const takenAddress = otherRig.gateway.listen({ kind: 'tcp', host: '127.0.0.1', port });
  await expect(takenAddress).rejects.toThrow('EADDRINUSE');
  await gateway.close();
});
