import { createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { OriginAddress } from '@guard/config/settings/values/values';
import { describe, expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '../testing/self-signed.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { HANDSHAKE, rawExchange, statusOf } from '../testing/raw-client.ts';
import { connectOptions } from './connect-options.ts';

test('a secure origin is asked for by its own name, and for HTTP/1.1', () => {
  const address = OriginAddress.parse('https://origin.example:8443');
  expect(connectOptions(address)).toEqual({
    isSecure: true,
    options: {
      host: 'origin.example',
      port: 8443,
      servername: 'origin.example',
      ALPNProtocols: ['http/1.1'],
    },
  });
});

test.each([
  ['http://a.example', 80],
  ['https://a.example', 443],
])('%s has the port of its scheme: %i', (origin, port) => {
  expect(connectOptions(OriginAddress.parse(origin)).options).toMatchObject({ port });
});

describe('RFC 6066 3: SNI is the origin’s own name, and is never an address', () => {
  test.each([
    ['localhost', ['localhost']],
    ['127.0.0.1', []],
    ['[::1]', []],
  ])('%s', async (host, expected) => {
    const requestedNames: string[] = [];
    let connectionCount = 0;
    const [{ cert, key }, host4] = [selfSigned('localhost'), host !== '[::1]'];
    const server = createServer({
      cert,
      key,
      SNICallback: (name, done) => {
        requestedNames.push(name);
        done(null);
      },
    });
    server.on('connection', () => connectionCount++);
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, host4 ? '127.0.0.1' : '::1', resolve));
    onTestFinished(() => {
      server.close();
    });
    // A server that listens on TCP has an AddressInfo.
    const { port } = server.address() as AddressInfo;
    const rig = await startGateway({ origin: `https://${host}:${port}` });
    // The answer is 502, because the certificate is not trusted. But Node sends the name before it checks the
    // certificate.
    expect(statusOf(await rawExchange(rig.port, ...HANDSHAKE))).toBe(502);
    expect(connectionCount).toBe(1);
    expect(requestedNames).toEqual(expected);
  });
});
