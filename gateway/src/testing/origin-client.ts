import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { FieldList } from '../message/message.ts';
import type {
  AnswerHandler,
  BodySink,
  Lane,
  Origin,
  OriginError,
  OriginExchange,
  OriginRequest,
  RequestBody,
} from '../origin/origin.ts';

/** One answer, as a client passed it on. */
export interface ReceivedAnswer {
  interim: { readonly status: number; readonly fields: readonly string[] }[];
  status: number;
  reason: string;
  fields: readonly string[];
  body: Buffer;
  trailers: readonly string[];
  error: OriginError | undefined;
}

/** Collects an answer, and fails when a client calls it in an order that the port forbids. */
export class Listener implements AnswerHandler {
  /** The received answer. Resolves after the answer or the error. */
  readonly receivedAnswer: Promise<ReceivedAnswer>;
  /** Set by `ask`. No call may come before `send` has returned. */
  exchange: OriginExchange | undefined;
  readonly answer: ReceivedAnswer = {
    interim: [],
    status: 0,
    reason: '',
    fields: [],
    body: Buffer.alloc(0),
    trailers: [],
    error: undefined,
  };
  flushes = 0;
  readonly parts: Buffer[] = [];
  readonly #heard = Promise.withResolvers<ReceivedAnswer>();
  #isOver = false;
  #hadLastPart = false;

  constructor() {
    this.receivedAnswer = this.#heard.promise;
  }

  onInformational(status: number, fields: readonly string[]): void {
    this.#expect(this.answer.status === 0, 'an interim answer after the final one');
    this.answer.interim.push({ status, fields });
  }

  onHead(status: number, reason: string, fields: readonly string[]): void {
    this.#expect(this.answer.status === 0, 'a second header section');
    Object.assign(this.answer, { status, reason, fields });
  }

  onData(part: Buffer, isLast: boolean): void {
    this.#expect(this.answer.status !== 0 && !this.#hadLastPart, 'a part that has no place');
    this.#hadLastPart = isLast;
    this.parts.push(Buffer.from(part));
  }

  onFlush(): boolean {
    if (!this.#isOver) this.flushes++;
    return true;
  }

  onEnd(trailers: readonly string[]): void {
    this.#expect(this.answer.status !== 0, 'an end without a beginning');
    this.answer.trailers = trailers;
    this.#finish();
  }

  onError(error: OriginError): void {
    this.#expect(true, '');
    this.answer.error = error;
    this.#finish();
  }

  #expect(holds: boolean, otherwise: string): void {
    if (this.#isOver) throw new Error('a call after the end');
    if (this.exchange === undefined) throw new Error('a call before send had returned');
    if (!holds) throw new Error(otherwise);
  }

  #finish(): void {
    this.#isOver = true;
    this.answer.body = Buffer.concat(this.parts);
    this.#heard.resolve(this.answer);
  }
}

/** A request of a test. Missing properties have the values of a plain GET. */
export interface ClientRequest extends Partial<Pick<OriginRequest, 'method' | 'target' | 'body'>> {
  /** Names and values in turn. */
  readonly fields?: readonly string[];
  /**
   * How many of the fields come from the visitor. The gateway has added the others. By default all come from the
   * visitor.
   */
  readonly visitorFieldCount?: number;
}

/** Sends one request and returns its listener. Undefined when the lane is full. */
export function ask(
  origin: Origin,
  request: ClientRequest = {},
  lane: Lane = request.body === undefined ? 'plain' : 'upload',
): Listener | undefined {
  return listen(origin, new Listener(), request, lane);
}

/** Does the same as `ask`, with the caller's listener. */
export function listen(
  origin: Origin,
  listener: Listener,
  request: ClientRequest = {},
  lane: Lane = 'plain',
): Listener | undefined {
  const {
    fields = ['Host', 'shop.example'],
    visitorFieldCount = fields.length / 2,
    ...rest
  } = request;
  const list = new FieldList(fields.slice(0, 2 * visitorFieldCount));
  const plain = { method: 'GET', target: '/', body: undefined };
  const whole = {
    ...plain,
    ...rest,
    visitorFields: list,
    gatewayFields: fields.slice(2 * visitorFieldCount),
  };
  const exchange = origin.send(lane, whole, listener);
  listener.exchange = exchange;
  return exchange === undefined ? undefined : listener;
}

/** Sends one request and waits for its answer. */
export async function askAndWait(
  origin: Origin,
  request: ClientRequest = {},
  lane?: Lane,
): Promise<ReceivedAnswer> {
  const listener = ask(origin, request, lane);
  if (listener === undefined) throw new Error('the lane is full');
  return listener.receivedAnswer;
}

/** A body that sends these parts, one in each turn of the event loop, until it is stopped. */
export class PartedBody implements RequestBody {
  readonly length: number | undefined;
  isPaused = false;
  isStopped = false;
  /** True while more parts may be added. */
  holdEnd = false;
  readonly #parts: Buffer[];
  readonly #trailers: readonly string[];
  #sink: BodySink | undefined;
  #isScheduled = false;

  constructor(
    parts: readonly Buffer[],
    length: number | undefined = Buffer.concat([...parts]).length,
    trailers: readonly string[] = [],
  ) {
    this.#parts = [...parts];
    this.length = length;
    this.#trailers = trailers;
  }

  /** A body in chunks, because its length is unknown. */
  static chunked(parts: readonly Buffer[], trailers: readonly string[] = []): PartedBody {
    const body = new PartedBody(parts, 0, trailers);
    return Object.assign(body, { length: undefined });
  }

  add(part: Buffer): void {
    this.#parts.push(part);
    this.#schedule();
  }

  start(sink: BodySink): void {
    this.#sink = sink;
    this.#schedule();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.#schedule();
  }

  stop(): void {
    this.isStopped = true;
    this.#sink = undefined;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#give();
    });
  }

  #give(): void {
    if (this.isPaused || this.#sink === undefined) return;
    const part = this.#parts.shift();
    if (part === undefined) {
      if (!this.holdEnd) this.#sink.onPartsEnd(this.#trailers);
      return;
    }
    this.#sink.onPart(part);
    this.#schedule();
  }
}

/**
 * The answer to one request: these pieces, one in each turn of the event loop, and then the end of the connection or
 * silence.
 */
export interface Script {
  readonly pieces: readonly Buffer[];
  readonly ending: 'end' | 'reset' | 'keep';
}

export interface ScriptedOrigin {
  readonly url: string;
  /** The bytes that each connection has sent. */
  readonly receivedTexts: string[];
  readonly sockets: Socket[];
}

/**
 * An origin that reads and writes bytes, until the test ends. `script` gets all bytes since the last answer on the
 * connection.
 */
export async function startScripted(
  script: (requestText: string, connection: number) => Script | undefined,
): Promise<ScriptedOrigin> {
  const receivedTexts: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = sockets.push(socket) - 1;
    receivedTexts.push('');
    let pendingText = '';
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      const text = part.toString('latin1');
      receivedTexts[connection] = (receivedTexts[connection] ?? '') + text;
      pendingText += text;
      const answer = script(pendingText, connection);
      if (answer === undefined) return;
      pendingText = '';
      void playScript(socket, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP listener has an address.
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${port}`, receivedTexts, sockets };
}

async function playScript(socket: Socket, { pieces, ending }: Script): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setImmediate(resolve));
    if (socket.destroyed) return;
    socket.write(piece);
  }
  if (ending === 'end') socket.end();
  else if (ending === 'reset') socket.resetAndDestroy();
}
