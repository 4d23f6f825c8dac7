import { once } from 'node:events';
import { createConnection } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RigOptions, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { selfSigned } from '../testing/self-signed.ts';

const [shop, blog, proof] = [
  selfSigned('shop.example'),
  selfSigned('blog.example'),
  selfSigned('proof.example'),
];

async function start(options: Partial<RigOptions> = {}) {
  const { origin, ...rig } = await startGatewayWithOrigin({ certificates: [], ...options });
  return {
    ...rig,
    origin,
    /** The name in the certificate that the gateway sends. Rejects with the TLS alert. */
    shownTo: async (servername: string, alpn = 'http/1.1') => {
      const { subject } = (await handshake(rig.tlsPort, servername, alpn)).getPeerCertificate();
      return subject.CN;
    },
  };
}

async function handshake(port: number, servername: string, alpn: string): Promise<TLSSocket> {
  const socket = connect({
    ...{ port, host: '127.0.0.1', servername },
    ...{ ALPNProtocols: [alpn], rejectUnauthorized: false },
  });
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'secureConnect');
  return socket;
}

const NO_NAME = { code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' };

describe('certificates that an authority issued', () => {
  test('before the first certificate a handshake ends with an alert (RFC 6066 3)', async () => {
    const { shownTo, gateway, logEntries } = await start();
    await expect(shownTo('shop.example')).rejects.toMatchObject(NO_NAME);
    expect(logEntries.map(({ event }) => event)).toContain('gateway_has_no_certificate');
    gateway.showIssued([shop]);
    expect(await shownTo('shop.example')).toBe('shop.example');
  });

  test('certificates from files are used too, also for a visitor who names no known host', async () => {
    const { shownTo, gateway } = await start({ certificates: [shop] });
    gateway.showIssued([blog]);
    expect(await shownTo('blog.example')).toBe('blog.example');
    expect(await shownTo('unknown.example')).toBe('shop.example');
  });

  test('they stay in use after a reload of the settings', async () => {
    const { shownTo, gateway, settings, gaugeValue } = await start({ certificates: [shop] });
    gateway.showIssued([blog]);
    gateway.reload({ ...settings, certificates: [] });
    expect(await shownTo('shop.example')).toBe('blog.example');
    const expiry = gaugeValue('guard_gateway_certificate_expiry_timestamp_seconds');
    expect([...(expiry as ReadonlyMap<string, number>).keys()]).toEqual(['blog.example']);
  });

  test('a certificate that the TLS library refuses does not replace the earlier ones', async () => {
    const { shownTo, gateway } = await start();
    gateway.showIssued([shop]);
    const broken = { ...blog, key: Buffer.from('no key') };
    expect(() => gateway.showIssued([broken])).toThrow();
    expect(await shownTo('blog.example')).toBe('shop.example');
  });
});

describe('tls-alpn-01 (RFC 8737)', () => {
  const challenges = {
    keyAuthorization: () => undefined,
    certificateOf: (host: string) =>
      host === 'proof.example' ? { cert: String(proof.cert), key: String(proof.key) } : undefined,
  };

  test('an authority that asks gets the proof, also while there is no certificate', async () => {
    const { tlsPort, shownTo } = await start({ challenges });
    const socket = await handshake(tlsPort, 'PROOF.example', 'acme-tls/1');
    expect(socket.alpnProtocol).toBe('acme-tls/1');
    expect(socket.getPeerCertificate().subject.CN).toBe('proof.example');
    socket.resume();
    await once(socket, 'end');
    await expect(shownTo('proof.example')).rejects.toMatchObject(NO_NAME);
  });

  test('no visitor gets the proof certificate, and no request is accepted on its connection', async () => {
    const { tlsPort, shownTo, origin } = await start({ challenges, certificates: [shop] });
    expect(await shownTo('proof.example')).toBe('shop.example');
    const socket = await handshake(tlsPort, 'proof.example', 'acme-tls/1');
    socket.on('error', () => undefined).resume();
    socket.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    await once(socket, 'close');
    expect(origin.requests).toEqual([]);
  });

  test('the connection that got the proof is cut, even when its peer does not close', async () => {
    const { tlsPort } = await start({ challenges });
    const tcpSocket = createConnection({ port: tlsPort, host: '127.0.0.1', allowHalfOpen: true });
    const socket = connect({
      socket: tcpSocket,
      servername: 'proof.example',
      ALPNProtocols: ['acme-tls/1'],
      rejectUnauthorized: false,
    });
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    // When the gateway has cut the connection, this write fails.
    const writeTimer = setInterval(() => tcpSocket.write('x'), 10);
    onTestFinished(() => {
      clearInterval(writeTimer);
      tcpSocket.destroy();
    });
    const [fault] = (await once(tcpSocket, 'error')) as [NodeJS.ErrnoException];
    expect(['ECONNRESET', 'EPIPE']).toContain(fault.code);
  });

  test.each(['shop.example', 'constructor'])(
    'there is no proof for a host that is not being checked: %s',
    async (host) => {
      const { shownTo } = await start({ challenges, certificates: [shop] });
      await expect(shownTo(host, 'acme-tls/1')).rejects.toThrow();
    },
  );

  test('without an authority in the settings, the gateway does not know the protocol', async () => {
    const { shownTo } = await start({ certificates: [shop] });
    await expect(shownTo('shop.example', 'acme-tls/1')).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
    });
  });
});
