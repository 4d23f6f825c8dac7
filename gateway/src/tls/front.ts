import { AsyncLocalStorage } from 'node:async_hooks';
import { hkdfSync, randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { ClientHello } from '@guard/config/contract/transport';
import type { GatewayLimits } from '../base/limits.ts';
import type { AcmeChallenges } from '../base/options.ts';
import { createHttp1Front, type Http1Front } from '../http1/front.ts';
import { peekOpening } from '../http2/opening.ts';
import { createHttp2Front } from '../http2/serve-session.ts';
import { acceptConnections, type ServerParts } from '../listen/accept.ts';
import { addressOf, notePeer, type Peer, peerOf } from '../listen/connection.ts';
import type { Certificates } from './certificates.ts';
import { createAcmeResponder } from './acme-responder.ts';
import { peekHello } from './client-hello.ts';

/** The https side of a gateway: HTTP/2 and HTTP/1.1 on one port. */
export interface TlsFront {
  /** The server that listens. Its timeouts and limits apply to HTTP/1.1. */
  readonly server: Server;
  /** Changes the certificates for every handshake from now on. */
  readonly useCertificates: (certificates: Certificates | undefined) => void;
  /**
   * Ends open handshakes, and tells HTTP/2 visitors to send no more requests. HTTP/1.1 visitors get the same message
   * with their next answer.
   */
  readonly drain: () => void;
  readonly cut: () => void;
}

const NOT_HTTPS =
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 27\r\n\r\nThis port speaks https only';

/** The fatal TLS alert unrecognized_name: there is no certificate for the name (RFC 6066 section 3). */
const NO_CERTIFICATE = Uint8Array.of(21, 3, 3, 0, 2, 2, 112);

/** What the gateway knows about a connection before its handshake. */
interface BeforeHandshake {
  readonly socket: Socket;
  readonly peer: Peer;
  readonly hello: ClientHello | undefined;
}

/**
 * Reads the ClientHello of each connection, then gives the connection with all bytes to the TLS library, and then to
 * the server of the protocol that was chosen by ALPN (RFC 7301).
 */
export function createTlsFront(
  parts: ServerParts,
  certificates: Certificates | undefined,
  challenges: AcmeChallenges | undefined,
): TlsFront {
  const { limits, accept } = parts;
  const answerAcme = challenges && createAcmeResponder(challenges, limits.handshakeMs);
  // A TLS socket does not give access to its TCP socket, so this async context keeps the TCP socket. The TLS library
  // makes its callbacks in the same context.
  const handshakeContext = new AsyncLocalStorage<BeforeHandshake>();
  const sockets = new Set<Socket>();
  const openHandshakes = new Set<Socket>();
  const http2 = createHttp2Front(parts);
  // It gets only decrypted connections that chose HTTP/1.1.
  const http1 = createHttp1Front(parts);
  const { server } = http1;
  // The secret is made now, even when the first certificate comes later: worker threads copy the secret when they
  // start.
  const secret = sharedTicketSecret();
  let current = certificates;

  const tlsServer = createServer({
    ...(certificates && contextOptions(certificates, secret)),
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: limits.handshakeMs,
    SNICallback: (serverName, answer) => {
      answer(null, current?.contextOf(serverName));
    },
  });

  acceptConnections(server, accept, (socket, peer) => {
    sockets.add(socket);
    openHandshakes.add(socket);
    socket.on('error', ignore);
    socket.once('close', () => sockets.delete(socket));
    socket.once('close', () => openHandshakes.delete(socket));
    peekHello(socket, limits.helloMs, (beginning) => {
      switch (beginning.kind) {
        case 'gone':
          socket.destroy();
          return;
        case 'foreign':
          endWith(socket, NOT_HTTPS);
          return;
        case 'tls':
          if (beginning.isAcme === true && answerAcme !== undefined) {
            answerAcme(socket);
            return;
          }
          if (current === undefined) {
            accept.throttledLog('warn', 'gateway_has_no_certificate', { peer: addressOf(peer) });
            endWith(socket, NO_CERTIFICATE);
            return;
          }
          handshakeContext.run({ socket, peer, hello: beginning.hello }, () =>
            tlsServer.emit('connection', socket),
          );
          return;
      }
    });
  });

  // No other code closes a connection whose handshake failed, or took too long.
  tlsServer.on('tlsClientError', (_error, socket) => socket.destroy());
  tlsServer.on('secureConnection', (socket: TLSSocket) => {
    const beforeHandshake = handshakeContext.getStore();
    if (beforeHandshake !== undefined) {
      openHandshakes.delete(beforeHandshake.socket);
      notePeer(socket, beforeHandshake.peer);
    }
    serveSecured(socket, beforeHandshake?.hello, { limits, http2, http1 });
  });

  return {
    server,
    useCertificates: (next) => {
      current = next;
      if (next !== undefined) tlsServer.setSecureContext(contextOptions(next, secret));
    },
    drain: () => {
      // A connection has no request before its handshake is done, and a handshake may never end. So these connections
      // are cut.
      for (const socket of openHandshakes) socket.destroy();
      http2.drain();
      http1.drain();
    },
    cut: () => {
      http2.cut();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Protocols {
  readonly limits: GatewayLimits;
  readonly http2: ReturnType<typeof createHttp2Front>;
  readonly http1: Http1Front;
}

/** Gives a connection to the server of its protocol after the handshake. */
function serveSecured(
  socket: TLSSocket,
  hello: ClientHello | undefined,
  { limits, http2, http1 }: Protocols,
): void {
  socket.on('error', ignore);
  if (socket.alpnProtocol === 'h2') {
    peekOpening(socket, limits.http2OpeningMs, (frames) => {
      if (!socket.destroyed) http2.serve(socket, { hello, frames });
    });
    return;
  }
  notePeer(socket, peerOf(socket), { hello, http2: undefined });
  http1.serve(socket);
}

function endWith(socket: Socket, answer: string | Uint8Array): void {
  socket.end(answer, () => socket.destroySoon());
  socket.resume();
}

/**
 * The certificate for visitors who name no host, and the keys of the session tickets. By default Node draws new ticket
 * keys for each thread and each reload, so a session could not be resumed in another thread or after a reload. The keys
 * of this function stay the same until the process ends or the certificate changes. They are never written to a file,
 * because they could decrypt recorded connections of TLS 1.2.
 */
function contextOptions({ first: { cert, key } }: Certificates, secret: Uint8Array): TlsOptions {
  const ticketKeys = Buffer.from(hkdfSync('sha256', secret, key, 'guard/tls-tickets', 48));
  return { cert, key, minVersion: 'TLSv1.2', ticketKeys, sessionIdContext: 'guard' };
}

const TICKET_SECRET = 'guard/tls-tickets';

/** Random bytes of this process. Node copies them to the worker threads, which start after the main thread listens. */
function sharedTicketSecret(): Uint8Array {
  const sharedSecret = getEnvironmentData(TICKET_SECRET);
  if (sharedSecret instanceof Uint8Array) return sharedSecret;
  const secret = new Uint8Array(randomBytes(32));
  setEnvironmentData(TICKET_SECRET, secret);
  return secret;
}

function ignore(): void {
  // An error needs no handling here: 'close' follows it and is handled.
}
