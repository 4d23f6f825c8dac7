import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';
import type { ClientHello } from '@guard/config/contract/transport';
import { createHttp1Front } from '../http1/front.ts';
import { peekOpening } from '../http2/opening.ts';
import { createStreamServer } from '../http2/serve-session.ts';
import { acceptConnections, type Intake } from '../listen/accept.ts';
import { notePeer, noteTransport, type Peer } from '../listen/connection.ts';
import type { Certificates } from './certificates.ts';
import { peekHello } from './client-hello.ts';

/** The https side of a gateway: HTTP/2 and HTTP/1.1 on one port. */
export interface TlsFront {
  /** What listens. Its own timeouts and counts hold for HTTP/1.1. */
  readonly server: Server;
  /** For every handshake from now on. */
  readonly useCertificates: (certificates: Certificates) => void;
  /** Ends handshakes, and asks the visitors of HTTP/2 to go; who speaks HTTP/1.1 is told with the next answer. */
  readonly drain: () => void;
  /** Ends every connection that is left. */
  readonly cut: () => void;
}

const NOT_HTTPS =
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 27\r\n\r\nThis port speaks https only';

/** What is known of a connection before its handshake. */
interface Begun {
  readonly socket: Socket;
  readonly peer: Peer;
  readonly hello: ClientHello | undefined;
}

/**
 * A connection is read up to its ClientHello, given to the TLS library as if nobody had looked, and
 * then to the server of the protocol that it chose by ALPN (RFC 7301).
 */
export function createTlsFront(intake: Intake, certificates: Certificates): TlsFront {
  const { limits } = intake;
  // The TLS library names no way back from its socket to the one below, but it calls back in the
  // context in which it was given that one.
  const below = new AsyncLocalStorage<Begun>();
  const sockets = new Set<Socket>();
  const handshaking = new Set<Socket>();
  const streams = createStreamServer(intake);
  // It is given connections that are decrypted, and only those that chose HTTP/1.1.
  const http1 = createHttp1Front(intake);
  const { server } = http1;
  let current = certificates;

  const secure = createServer({
    ...shownFirst(certificates),
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: limits.handshakeMs,
    SNICallback: (serverName, answer) => {
      answer(null, current.contextOf(serverName));
    },
  });

  acceptConnections(server, intake.accept, (socket, peer) => {
    sockets.add(socket);
    handshaking.add(socket);
    socket.on('error', ignore);
    socket.once('close', () => sockets.delete(socket));
    socket.once('close', () => handshaking.delete(socket));
    peekHello(socket, limits.helloMs, (beginning) => {
      switch (beginning.kind) {
        case 'gone':
          socket.destroy();
          return;
        case 'foreign':
          socket.end(NOT_HTTPS, () => socket.destroySoon());
          socket.resume();
          return;
        case 'tls':
          below.run({ socket, peer, hello: beginning.hello }, () =>
            secure.emit('connection', socket),
          );
          return;
      }
    });
  });

  // Nobody else closes a connection whose handshake failed, or took too long.
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  secure.on('secureConnection', (socket: TLSSocket) => {
    const begun = below.getStore();
    const hello = begun?.hello;
    if (begun !== undefined) {
      handshaking.delete(begun.socket);
      notePeer(socket, begun.peer);
    }
    socket.on('error', ignore);
    if (socket.alpnProtocol === 'h2') {
      peekOpening(socket, limits.http2OpeningMs, (frames) => {
        if (!socket.destroyed) streams.serve(socket, { hello, frames });
      });
      return;
    }
    noteTransport(socket, { hello, http2: undefined });
    http1.serve(socket);
  });

  return {
    server,
    useCertificates: (next) => {
      current = next;
      secure.setSecureContext(shownFirst(next));
    },
    drain: () => {
      // Nothing is under way before the handshake, and what has said nothing may never say anything.
      for (const socket of handshaking) socket.destroy();
      streams.drain();
      http1.drain();
    },
    cut: () => {
      streams.cut();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function shownFirst({ first }: Certificates): SecureContextOptions {
  return { cert: first.cert, key: first.key, minVersion: 'TLSv1.2' };
}

function ignore(): void {
  // 'close' follows and says all there is to know.
}
