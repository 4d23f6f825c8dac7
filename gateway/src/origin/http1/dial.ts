import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import { connectOptions } from '../connect-options.ts';
import { Connection, type ConnectionPool } from './connection.ts';

/** After a connection was silent for this time, TCP sends probes, which find out whether the origin is still there. */
const PROBE_AFTER_MS = 60_000;

/** Opens a connection. Requests can be sent at once. They wait until the connection is made. */
export type Dial = (pool: ConnectionPool) => Connection;

/** Returns the function that opens connections to an address: over TCP, TLS, or a unix socket. */
export function dialTo(address: OriginAddress): Dial {
  const { isSecure, options } = connectOptions(address);
  return isSecure ? dialTls(options) : (pool) => dialPlain(options, pool);
}

/**
 * Each connection reads into its own memory. Node allocates memory for every read, and this needs more time than the
 * read itself.
 */
function dialPlain(target: NetConnectOpts, pool: ConnectionPool): Connection {
  const memory = new ReadMemory();
  const socket = connect({
    ...target,
    onread: {
      buffer: () => memory.bufferForNextRead(),
      callback: (length) => {
        memory.isFree = connection.read(memory.bytes, length);
        return true;
      },
    },
  });
  const connection = openConnection(socket, pool);
  socket.once('connect', () => {
    connection.onConnected();
  });
  return connection;
}

/** Connects over TLS, verifies the certificate, and resumes the last TLS session. */
function dialTls(target: ConnectionOptions): Dial {
  let session: Buffer | undefined;
  return (pool) => {
    const socket: TLSSocket = connectTls({
      ...target,
      ...(session === undefined ? {} : { session }),
    });
    const connection = openConnection(socket, pool);
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

function openConnection(socket: Socket, pool: ConnectionPool): Connection {
  // Nagle's algorithm would only delay a request, because a request is one write.
  socket.setNoDelay(true);
  socket.setKeepAlive(true, PROBE_AFTER_MS);
  return new Connection(socket, pool);
}

/** The most bytes of one read (the size that libuv suggests). */
const READ_BYTES = 64 * 1024;

/**
 * The memory for the bytes that are read from one connection. The next read uses the same memory, unless a reader still
 * needs the last bytes.
 */
class ReadMemory {
  bytes = Buffer.allocUnsafeSlow(READ_BYTES);
  /** Whether the next read may overwrite the bytes of the last one. */
  isFree = true;

  bufferForNextRead(): Buffer {
    if (!this.isFree) {
      this.bytes = Buffer.allocUnsafeSlow(READ_BYTES);
      this.isFree = true;
    }
    return this.bytes;
  }
}
