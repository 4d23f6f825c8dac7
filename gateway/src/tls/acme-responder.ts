import type { Socket } from 'node:net';
import { createSecureContext, createServer } from 'node:tls';
import type { AcmeChallenges } from '../base/options.ts';

/**
 * Sends a certificate authority the certificate that proves a host, and ends the connection. It is a separate TLS
 * server, so that no visitor ever gets such a certificate.
 */
export function createAcmeResponder(
  challenges: AcmeChallenges,
  handshakeTimeout: number,
): (socket: Socket) => void {
  const server = createServer({
    ALPNProtocols: ['acme-tls/1'],
    handshakeTimeout,
    minVersion: 'TLSv1.2',
    SNICallback: (serverName, answer) => {
      const proof = challenges.certificateOf(serverName.toLowerCase());
      if (proof === undefined) answer(new Error('no proof is awaited'));
      else answer(null, createSecureContext(proof));
    },
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    // The peer may never close the connection, and no other limit ends it.
    socket.end(() => socket.destroy());
  });
  return (socket) => {
    server.emit('connection', socket);
  };
}
