import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import { connectOptions } from '../connect-options.ts';
import { Connection, type ConnectionPool } from './connection.ts';

/** TCP's own probes find a peer that vanished behind a long silent answer. */
const PROBE_AFTER_MS = 60_000;

/** Opens a connection. Requests may be sent on it at once; they wait until it stands. */
export type Dial = (pool: ConnectionPool) => Connection;

/** How connections to this address are opened: plain, over TLS, or to a unix socket. */
export function dialTo(address: OriginAddress): Dial {
  const { isSecure, options } = connectOptions(address);
  return isSecure ? dialTls(options) : (pool) => dialPlain(options, pool);
}

/** Reads into memory of its own: what Node would allocate for every read cost more than the reading. */
function dialPlain(target: NetConnectOpts, pool: ConnectionPool): Connection {
  const memory = new ReadMemory();
  const socket = connect({
    ...target,
    onread: {
      buffer: () => memory.next(),
      callback: (length) => {
        memory.free = connection.read(memory.bytes, length);
        return true;
      },
    },
  });
  const connection = open(socket, pool);
  socket.once('connect', () => {
    connection.onConnected();
  });
  return connection;
}

/** TLS with its certificate verified, HTTP/1.1 by ALPN, and the last session taken up again. */
function dialTls(target: ConnectionOptions): Dial {
  let session: Buffer | undefined;
  return (pool) => {
    const socket: TLSSocket = connectTls({
      ...target,
      ...(session === undefined ? {} : { session }),
    });
    const connection = open(socket, pool);
    socket.on('data', (chunk: Buffer) => {
      connection.read(chunk, chunk.length);
    });
    socket.on('session', (fresh) => (session = fresh));
    socket.once('secureConnect', () => {
      connection.onConnected();
    });
    return connection;
  };
}

function open(socket: Socket, pool: ConnectionPool): Connection {
  // A request is one write, and the parts of an upload come as the visitor sent them.
  socket.setNoDelay(true);
  socket.setKeepAlive(true, PROBE_AFTER_MS);
  return new Connection(socket, pool);
}

/** As much as one read takes at most (the size that libuv suggests). */
const BYTES = 64 * 1024;

/** The memory that one connection is read into. It is used again unless a reader still holds the last bytes. */
class ReadMemory {
  bytes = Buffer.allocUnsafeSlow(BYTES);
  /** Whether the next read may overwrite the last one. */
  free = true;

  /** Where the next read goes. */
  next(): Buffer {
    if (!this.free) {
      this.bytes = Buffer.allocUnsafeSlow(BYTES);
      this.free = true;
    }
    return this.bytes;
  }
}
