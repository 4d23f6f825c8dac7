import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { waitUntil } from './raw-client.ts';

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string | string[] | undefined>>;
  /** The status of each interim answer. */
  readonly interim: readonly number[];
}

/** A connection of Node's HTTP/2 client to the rig's https port, or over a given TLS socket. */
export function openHttp2(tlsPort: number, tlsSocket?: TLSSocket): ClientHttp2Session {
  const session = connect(`https://shop.example:${tlsPort}`, {
    host: '127.0.0.1',
    servername: 'shop.example',
    rejectUnauthorized: false,
    // Tests write large bodies at once.
    maxSessionMemory: 100,
    ...(tlsSocket && { createConnection: () => tlsSocket }),
  });
  session.on('error', () => undefined);
  onTestFinished(() => {
    session.destroy();
  });
  return session;
}

/** One request. Rejects when the stream is reset or the connection ends. */
export function exchange(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders = {},
  body?: Buffer,
): Promise<StreamAnswer> {
  return new Promise((resolve, reject) => {
    const stream: ClientHttp2Stream = session.request(
      { ':authority': 'shop.example', ...headers },
      { endStream: body === undefined },
    );
    const parts: Buffer[] = [];
    const interim: number[] = [];
    let head: Readonly<Record<string, string | string[] | undefined>> = {};
    let trailers: StreamAnswer['trailers'] = {};
    stream.on('headers', (info) => interim.push(Number(info[':status'])));
    stream.on('response', (response) => (head = response as typeof head));
    stream.on('trailers', (fields) => (trailers = fields as typeof trailers));
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('error', reject);
    stream.on('close', () => {
      if (stream.rstCode !== 0) reject(new Error(`reset with ${stream.rstCode}`));
      const status = Number(head[':status']);
      resolve({ status, headers: head, body: Buffer.concat(parts), trailers, interim });
    });
    if (body !== undefined) stream.end(body);
  });
}

/** A frame as bytes (RFC 9113 section 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** A HEADERS frame of literal fields (RFC 7541 section 6.2.2), which no client library would send. */
export function headersFrame(
  stream: number,
  fields: readonly (readonly [string, string])[],
  endStream = true,
): Buffer {
  const text = (value: string) =>
    Buffer.concat([integer(value.length), Buffer.from(value, 'latin1')]);
  const block = fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]);
  return frame(1, endStream ? 5 : 4, stream, Buffer.concat(block));
}

/** Writes an integer with a prefix of seven bits (RFC 7541 section 5.1). */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

const STATUS_BY_INDEX: Readonly<Record<number, number>> = {
  0x88: 200,
  0x89: 204,
  0x8a: 206,
  0x8b: 304,
  0x8c: 400,
  0x8d: 404,
  0x8e: 500,
};

/** An HTTP/2 connection on which a test writes any frames and reads the types of the answers. */
export class FrameClient {
  readonly socket: TLSSocket;
  isClosed = false;
  #receivedBytes: Buffer = Buffer.alloc(0);

  constructor(tlsPort: number) {
    this.socket = connectTls({
      port: tlsPort,
      host: '127.0.0.1',
      servername: 'shop.example',
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    });
    this.socket.on(
      'data',
      (part: Buffer) => (this.#receivedBytes = Buffer.concat([this.#receivedBytes, part])),
    );
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    this.socket.write(frame(4, 0, 0, Buffer.alloc(0)));
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  send(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** The types of the frames that were received on one stream so far. */
  typesOn(stream: number): number[] {
    return this.framesOn(stream).map(({ type }) => type);
  }

  /** The frames that were received on one stream so far. The last one may be incomplete. */
  framesOn(stream: number): { readonly type: number; readonly payload: Buffer }[] {
    const frames: { type: number; payload: Buffer }[] = [];
    for (let at = 0; at + 9 <= this.#receivedBytes.length;) {
      const end = at + 9 + this.#receivedBytes.readUIntBE(at, 3);
      if ((this.#receivedBytes.readUInt32BE(at + 5) & 0x7fff_ffff) === stream) {
        const type = this.#receivedBytes[at + 3] ?? -1;
        frames.push({ type, payload: this.#receivedBytes.subarray(at + 9, end) });
      }
      at = end;
    }
    return frames;
  }

  /**
   * The status of the answer on a stream, if the static table of HPACK has this status (RFC 7541 appendix A). 0 for any
   * other status, and when there is no answer.
   */
  statusOn(stream: number): number {
    const head = this.framesOn(stream).find(({ type }) => type === 1);
    return STATUS_BY_INDEX[head?.payload[0] ?? 0] ?? 0;
  }

  /** Waits for an answer (HEADERS), a reset (RST_STREAM) or the end of the connection. */
  async outcomeOf(stream: number): Promise<'answered' | 'reset' | 'closed'> {
    const outcome = () => {
      const types = this.typesOn(stream);
      if (types.includes(1)) return 'answered';
      if (types.includes(3)) return 'reset';
      return this.isClosed || this.typesOn(0).includes(7) ? 'closed' : undefined;
    };
    await waitUntil(() => outcome() !== undefined);
    return outcome() ?? 'closed';
  }
}
