import {
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ClientHello, TransportFacts } from '@guard/config/contract/transport';
import { callFewInATurn } from '../base/event-loop.ts';
import { describeOpening, type OpeningFrames } from './opening.ts';
import { StreamSections } from './stream-fields.ts';
import { cutStream, StreamRequest } from './stream-request.ts';
import { StreamResponse } from './stream-response.ts';
import { type Reader, readerOf } from '../listen/unread-answers.ts';
import type { AcceptOptions, ServerParts } from '../listen/accept.ts';
import { notePeer, peerOf } from '../listen/connection.ts';

/** What the client showed on a connection before its first request. */
interface ConnectionFacts {
  readonly hello: ClientHello | undefined;
  readonly frames: OpeningFrames | undefined;
}

/**
 * One packet can hold hundreds of requests. At most this many of one connection are handled in a turn, so that other
 * visitors are served in between.
 */
const REQUESTS_IN_A_TURN = 16;

/** Serves the requests of HTTP/2 connections. */
interface Http2Front {
  /** Serves a connection after its TLS handshake. */
  readonly serve: (socket: TLSSocket, facts: ConnectionFacts) => void;
  /** Accepts no more requests. Requests under way can finish (RFC 9113 section 6.8). */
  readonly drain: () => void;
  /**
   * Ends every connection that is left. It does not only destroy the socket, because the streams would then notice the
   * end too late.
   */
  readonly cut: () => void;
}

export function createHttp2Front({
  handle,
  limits,
  accept,
}: Pick<ServerParts, 'handle' | 'limits' | 'accept'>): Http2Front {
  const options: ServerOptions = {
    settings: {
      maxConcurrentStreams: limits.http2Streams,
      maxHeaderListSize: limits.maxHeaderBytes,
      enablePush: false,
    },
    // The library also counts the four pseudo-header fields.
    maxHeaderListPairs: limits.maxHeaders + 4,
    maxSettings: 32,
    streamResetBurst: limits.http2ResetBurst,
    streamResetRate: limits.http2ResetRate,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
    // The gateway passes on fields that an origin repeats.
    strictSingleValueFields: false,
  };
  const sessions = new Set<ServerHttp2Session>();
  let isDraining = false;

  function serve(socket: TLSSocket, { hello, frames }: ConnectionFacts): void {
    const peer = peerOf(socket);
    const session = performServerHandshake(socket, options);
    const sections = new StreamSections();
    const callInTurn = callFewInATurn(REQUESTS_IN_A_TURN);
    // A visitor decides how many bytes of each answer the gateway may send (RFC 9113 section 5.2). The rest of each
    // answer waits in memory.
    const reader = readerOf(socket, accept);
    const onEnd = reader && ((stream: ServerHttp2Stream) => countUnread(stream, reader, accept));
    let facts: TransportFacts | undefined;
    let openStreams = 0;
    let idleMs = 0;
    sessions.add(session);
    session.on('error', ignore);
    session.once('close', () => sessions.delete(session));
    // The server allows half-open connections. HTTP/2 cannot use such a connection, so this line closes it.
    socket.once('end', () => socket.destroy());
    session.setTimeout(limits.keepAliveTimeoutMs, () => {
      idleMs += limits.keepAliveTimeoutMs;
      if (openStreams === 0 || idleMs >= limits.idleTimeoutMs) {
        session.destroy();
        cutLater(socket, limits.lingerMs);
      } else {
        session.setTimeout(limits.keepAliveTimeoutMs);
      }
    });
    session.on('stream', (stream: ServerHttp2Stream, _headers, _flags, rawHeaders: string[]) => {
      openStreams++;
      idleMs = 0;
      stream.on('error', ignore);
      stream.once('close', () => openStreams--);
      stream.setTimeout(limits.idleTimeoutMs, () => {
        cutStream(stream);
      });
      facts ??= { hello, http2: frames && describeOpening(frames, rawHeaders) };
      const req = new StreamRequest(stream, sections.read(rawHeaders));
      notePeer(req.socket, peer, facts);
      callInTurn(() => {
        // The visitor may have reset the stream meanwhile, or in the same packet.
        if (req.socket.destroyed) accept.metrics.count('guard_gateway_requests_total', 'aborted');
        else handle(req, new StreamResponse(stream, onEnd));
      });
    });
    if (isDraining) session.close();
  }

  return {
    serve,
    drain: () => {
      isDraining = true;
      for (const session of sessions) session.close();
    },
    cut: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

function countUnread(
  stream: ServerHttp2Stream,
  reader: Reader,
  { unread }: Pick<AcceptOptions, 'unread'>,
): void {
  unread.add(stream, reader);
  stream.once('close', () => unread.forget(stream));
}

/** Cuts the connection of a visitor who reads nothing. Otherwise its last frames would wait for ever. */
function cutLater(socket: TLSSocket, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

function ignore(): void {
  // Does nothing, because a broken session or stream closes, and the listeners on `close` handle the end.
}
