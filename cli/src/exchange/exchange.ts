import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { messageOf } from '../terminal/faults.ts';

/** A challenge page has some 25 kB. A longer body is not a challenge page, and its end is not needed. */
const MAX_BODY_BYTES = 512 * 1024;

export interface AnsweredExchange {
  readonly kind: 'answered';
  readonly url: string;
  readonly status: number;
  readonly httpVersion: string;
  /** Raw header fields: names in their original case, with one pair for each line. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The decoded body, cut after 512 kB. */
  readonly body: string;
  /** When the request was sent and when the answer began, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** The address of this machine on that connection, and the address that it reached. */
  readonly localAddress: string;
  readonly remoteAddress: string;
}

export type Exchange =
  | AnsweredExchange
  /** Why there was no answer, as a phrase. */
  | { readonly kind: 'failed'; readonly url: string; readonly why: string };

export interface ExchangeOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The local address from which the request is sent. */
  readonly from: string | undefined;
  /** The unix socket that is used in place of the host of the URL. */
  readonly socketPath?: string;
}

/** Values of a header field, in the order of their lines. */
export function fieldsOf({ fields }: AnsweredExchange, name: string): string[] {
  const wantedName = name.toLowerCase();
  return fields.flatMap(([field, value]) => (field.toLowerCase() === wantedName ? [value] : []));
}

/**
 * Sends one request on its own connection. It follows no redirects and accepts any certificate, because another
 * check judges the certificate. Never rejects.
 */
export function exchange(url: string, ask: ExchangeOptions): Promise<Exchange> {
  const { method = 'GET', headers, timeoutMs, from, socketPath } = ask;
  return new Promise((resolve) => {
    const sentAtMs = Date.now();
    const end = (result: Exchange) => {
      clearTimeout(timer);
      resolve(result);
    };
    const fail = (why: string) => end({ kind: 'failed', url, why });
    const options: RequestOptions & { readonly rejectUnauthorized: boolean } = {
      method,
      headers,
      agent: false,
      rejectUnauthorized: false,
      ...(from !== undefined && { localAddress: from }),
      ...(socketPath !== undefined && { socketPath }),
    };
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const request = send(url, options);
    const timer = setTimeout(() => {
      request.destroy();
      fail(`no whole answer within ${timeoutMs / 1000} s`);
    }, timeoutMs);
    const takeAnswer = (answer: IncomingMessage) => {
      const connection = { url, sentAtMs, answeredAtMs: Date.now(), ...addressesOf(answer) };
      void readBody(answer).then(
        (body) => {
          request.destroy();
          end({ kind: 'answered', ...connection, ...headOf(answer), body });
        },
        (error: unknown) => fail(messageOf(error)),
      );
    };
    request.on('response', takeAnswer);
    request.on('upgrade', (answer, socket) => {
      const connection = { url, sentAtMs, answeredAtMs: Date.now(), ...addressesOf(answer) };
      end({ kind: 'answered', ...connection, ...headOf(answer), body: '' });
      socket.destroy();
    });
    request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    request.end();
  });
}

/** The header fields of a WebSocket handshake (RFC 6455 section 4.1). */
export function handshakeHeaders(): Record<string, string> {
  return {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
}

function headOf(
  answer: IncomingMessage,
): Pick<AnsweredExchange, 'status' | 'httpVersion' | 'fields'> {
  const { rawHeaders, statusCode = 0, httpVersion } = answer;
  const fields: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    fields.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return { status: statusCode, httpVersion, fields };
}

/** The addresses are read while the connection is open, because a closed connection has none. */
function addressesOf({ socket }: IncomingMessage) {
  return { localAddress: socket.localAddress ?? '', remoteAddress: socket.remoteAddress ?? '' };
}

async function readBody(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of decoded(answer) as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_BODY_BYTES).toString();
}

function decoded(answer: IncomingMessage): Readable {
  switch (answer.headers['content-encoding']?.toLowerCase()) {
    case 'gzip':
      return pipeline(answer, createGunzip(), ignoreEnd);
    case 'br':
      return pipeline(answer, createBrotliDecompress(), ignoreEnd);
    case undefined:
    default:
      return answer;
  }
}

/** The reader of the stream gets the error too. */
function ignoreEnd(): void {}
