import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A connection on which a test writes any bytes and reads the answer. */
export class RawClient {
  readonly socket: Socket;
  receivedText = '';
  isClosed = false;

  /** Opens a TCP connection to a local port, or uses the given socket, which may be TLS. */
  constructor(target: number | Socket) {
    this.socket = typeof target === 'number' ? connect(target, '127.0.0.1') : target;
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.receivedText += text;
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  send(...lines: readonly string[]): void {
    this.socket.write(lines.join('\r\n'), 'latin1');
  }

  /** Waits until the received text matches. Rejects with the text after the deadline. */
  async until(pattern: RegExp): Promise<string> {
    await waitUntil(
      () => pattern.test(this.receivedText),
      () => `waited for ${String(pattern)} in ${JSON.stringify(this.receivedText)}`,
    );
    return this.receivedText;
  }

  async untilClosed(): Promise<string> {
    await waitUntil(
      () => this.isClosed,
      () => `still open after ${JSON.stringify(this.receivedText)}`,
    );
    return this.receivedText;
  }
}

/** A TLS connection to the rig's https port that asks for HTTP/1.1. */
export function connectHttp1(tlsPort: number): TLSSocket {
  return connectTls({
    port: tlsPort,
    host: '127.0.0.1',
    servername: 'shop.example',
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
}

/** Sends bytes on a new connection and resolves to everything received until it closes. */
export async function rawExchange(port: number, ...lines: readonly string[]): Promise<string> {
  const client = new RawClient(port);
  client.send(...lines);
  return client.untilClosed();
}

/** One request with `Connection: close`. Resolves to the complete answer. */
export function get(port: number, path = '/', ...headers: readonly string[]): Promise<string> {
  return rawExchange(
    port,
    `GET ${path} HTTP/1.1`,
    'Host: shop.example',
    'Connection: close',
    ...headers,
    '',
    '',
  );
}

/** Polls until the condition is true. Rejects at the deadline. The deadline is long enough for a busy machine. */
export async function waitUntil(
  condition: () => boolean,
  describe: () => string = () => 'the condition',
  deadlineMs = 45_000,
): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`did not come true: ${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until a value has not changed for a while. */
export async function untilUnchanged(read: () => number): Promise<void> {
  let lastValue = -1;
  let unchangedCount = 0;
  await waitUntil(() => {
    const value = read();
    unchangedCount = value === lastValue ? unchangedCount + 1 : 0;
    lastValue = value;
    return unchangedCount >= 30;
  });
}

/** The status of an answer as text. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

/** Every value of one header of an answer as text. */
export function headersOf(answer: string, name: string): string[] {
  const head = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n').slice(1);
  return head
    .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    .map((line) => line.slice(name.length + 1).trim());
}

export function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}

/**
 * The lines of a WebSocket handshake (RFC 6455 section 4.1), with additional fields, and with the empty lines at the
 * end.
 */
export function webSocketRequest(target: string, ...fields: readonly string[]): string[] {
  return [
    `GET ${target} HTTP/1.1`,
    'Host: shop.example',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...fields,
    '',
    '',
  ];
}

export const HANDSHAKE = webSocketRequest('/chat');
export const ACCEPT = 'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

/** The answer that accepts the handshake of `webSocketRequest`. */
export const SWITCHED_HEAD = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${ACCEPT}\r\n\r\n`;
