import { type IncomingMessage, request } from 'node:http';
import { type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { connectHttp1, waitUntil } from './raw-client.ts';
import { selfSigned } from './self-signed.ts';

/** The protocols with which a visitor reaches a gateway. */
export const FRONTS = ['HTTP/1.1', 'HTTP/1.1 over TLS', 'HTTP/2'] as const;
export type Front = (typeof FRONTS)[number];

/** The certificates that a rig needs for all these protocols. */
export const certificates = [selfSigned('shop.example')];

export interface VisitOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** When it is true, the request ends when `out` ends. Otherwise the request has no body. */
  readonly upload?: boolean;
  /** When it is true, the body of the answer is not read. */
  readonly ignoreBody?: boolean;
}

/** One request on its own connection, and the part of the answer that has come. */
export class FrontVisit {
  status = 0;
  headers: Readonly<Record<string, string | string[] | undefined>> = {};
  receivedText = '';
  /** Each interim answer: status, and its fields as names and values in turn. */
  readonly interim: { readonly status: number; readonly fields: readonly string[] }[] = [];
  /** `cut`: the connection ended before the answer. */
  state: 'open' | 'whole' | 'cut' | 'ended early' = 'open';
  readonly stream: Writable;
  readonly #deaf: boolean;

  constructor(stream: Writable, ignoreBody: boolean) {
    this.stream = stream;
    this.#deaf = ignoreBody;
    stream.on('error', () => (this.state = 'cut'));
  }

  takeAnswer(status: number, headers: FrontVisit['headers'], body: Readable): void {
    this.status = status;
    this.headers = headers;
    if (this.#deaf) body.pause();
    else body.on('data', (part: Buffer) => (this.receivedText += part.toString('latin1')));
  }

  async untilHead(): Promise<this> {
    await waitUntil(() => this.status !== 0 || this.state !== 'open');
    return this;
  }

  async until(text: string): Promise<this> {
    await waitUntil(
      () => this.receivedText.includes(text),
      () => `waited for ${text} in ${JSON.stringify(this.receivedText)}`,
    );
    return this;
  }

  async untilEnd(): Promise<this> {
    await waitUntil(
      () => this.state !== 'open',
      () => `still open after ${this.status} ${JSON.stringify(this.receivedText)}`,
    );
    return this;
  }
}

interface Ports {
  readonly port: number;
  readonly tlsPort: number;
}

/** Starts a request to a rig that was started with `certificates`. */
export function visit(front: Front, ports: Ports, options: VisitOptions = {}): FrontVisit {
  return front === 'HTTP/2' ? visitHttp2(ports, options) : visitHttp1(front, ports, options);
}

/** Does the same as `visit`, and waits for the end of the answer. */
export function wholeVisit(
  front: Front,
  ports: Ports,
  options: VisitOptions = {},
): Promise<FrontVisit> {
  return visit(front, ports, options).untilEnd();
}

function visitHttp1(
  front: Exclude<Front, 'HTTP/2'>,
  { port, tlsPort }: Ports,
  { method = 'GET', path = '/', headers = {}, upload = false, ignoreBody = false }: VisitOptions,
): FrontVisit {
  const target = {
    host: '127.0.0.1',
    method,
    path,
    headers: { host: 'shop.example', ...headers },
  };
  const clientRequest = request(
    front === 'HTTP/1.1'
      ? { ...target, port, agent: false }
      : { ...target, createConnection: () => connectHttp1(tlsPort) },
  );
  const frontVisit = new FrontVisit(clientRequest, ignoreBody);
  clientRequest.on('information', ({ statusCode: status, rawHeaders: fields }) => {
    frontVisit.interim.push({ status, fields });
  });
  clientRequest.on('response', (answer: IncomingMessage) => {
    frontVisit.takeAnswer(answer.statusCode ?? 0, answer.headers, answer);
    answer.on('error', () => undefined);
    answer.once('close', () => (frontVisit.state = answer.complete ? 'whole' : 'cut'));
  });
  onTestFinished(() => {
    clientRequest.destroy();
  });
  if (upload) clientRequest.flushHeaders();
  else clientRequest.end();
  return frontVisit;
}

function visitHttp2(
  { tlsPort }: Ports,
  { method = 'GET', path = '/', headers = {}, upload = false, ignoreBody = false }: VisitOptions,
): FrontVisit {
  const session = connect(`https://shop.example:${tlsPort}`, {
    host: '127.0.0.1',
    servername: 'shop.example',
    rejectUnauthorized: false,
  });
  session.on('error', () => undefined);
  const stream: ClientHttp2Stream = session.request(
    { ':method': method, ':path': path, ':authority': 'shop.example', ...headers },
    { endStream: !upload },
  );
  const frontVisit = new FrontVisit(stream, ignoreBody);
  stream.on('headers', ({ ':status': status }, _flags, rawHeaders: string[]) => {
    // The first name and value are the status.
    frontVisit.interim.push({ status: Number(status), fields: rawHeaders.slice(2) });
  });
  stream.on('response', ({ ':status': status, ...rest }) => {
    frontVisit.takeAnswer(Number(status), rest, stream);
  });
  stream.on('close', () => {
    // The client library gives this code to an answer whose end comes before its Content-Length is reached.
    if (stream.rstCode === constants.NGHTTP2_PROTOCOL_ERROR) frontVisit.state = 'ended early';
    if (frontVisit.state === 'open') frontVisit.state = stream.rstCode === 0 ? 'whole' : 'cut';
    session.close();
  });
  onTestFinished(() => {
    session.destroy();
  });
  return frontVisit;
}
