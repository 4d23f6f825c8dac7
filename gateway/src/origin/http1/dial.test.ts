import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
} from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OK, openClient } from '../../testing/http1-rig.ts';
import { ask, askAndWait } from '../../testing/origin-client.ts';
import { selfSigned } from '../../testing/self-signed.ts';

describe('addresses of an origin', () => {
  test('a unix socket is reached', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guard-origin-'));
    const path = join(folder, 'origin.sock');
    const server = createServer((socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write(OK));
    });
    onTestFinished(() => {
      server.close();
      rmSync(folder, { recursive: true });
    });
    await once(server.listen(path), 'listening');
    const client = openClient({ kind: 'unix', path });
    for (let i = 0; i < 2; i++) expect((await askAndWait(client)).body.toString()).toBe('ok');
    ask(client)?.exchange?.abort();
    expect((await askAndWait(client)).body.toString()).toBe('ok');
    await client.destroy();
  });

  test('an IPv6 address is reached', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write(OK));
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '::1'), 'listening');
    const { port } = server.address() as AddressInfo; // A TCP listener has an address.
    const client = openClient(`http://[::1]:${port}`);
    expect((await askAndWait(client)).body.toString()).toBe('ok');
    await client.destroy();
  });

  describe('an origin with TLS', () => {
    async function startTls(host: string) {
      const { cert, key } = selfSigned(host);
      const trustedBefore = getCACertificates('default');
      setDefaultCACertificates([...trustedBefore, cert.toString()]);
      const handshakes: { servername: unknown; alpn: unknown; resumed: boolean }[] = [];
      const server = createTlsServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] });
      const sockets: TLSSocket[] = [];
      server.on('secureConnection', (socket) => {
        sockets.push(socket);
        const { servername, alpnProtocol } = socket as TLSSocket & { servername?: unknown };
        handshakes.push({ servername, alpn: alpnProtocol, resumed: socket.isSessionReused() });
        socket.on('error', () => undefined).on('data', () => socket.write(OK));
      });
      onTestFinished(() => {
        setDefaultCACertificates(trustedBefore);
        for (const socket of sockets) socket.destroy();
        server.close();
      });
      await once(server.listen(0, 'localhost'), 'listening');
      const { port } = server.address() as AddressInfo; // A TCP listener has an address.
      return { port, seen: handshakes };
    }

    test('the origin’s name is verified, HTTP/1.1 is agreed on, and the session is resumed', async () => {
      const { port, seen } = await startTls('localhost');
      const client = openClient(`https://localhost:${port}`);
      expect((await askAndWait(client)).body.toString()).toBe('ok');
      // With TLS 1.3 the ticket comes after the handshake and before the answer.
      expect((await askAndWait(client, {}, 'retry')).body.toString()).toBe('ok');
      expect(seen).toEqual([
        { servername: 'localhost', alpn: 'http/1.1', resumed: false },
        { servername: 'localhost', alpn: 'http/1.1', resumed: true },
      ]);
    });

    test('with a certificate for another name the connection fails', async () => {
      const { port } = await startTls('other.example');
      const { error } = await askAndWait(openClient(`https://localhost:${port}`));
      expect(error?.kind).toBe('connect');
      expect(error?.detail).toContain('altnames');
    });
  });
});
