import { Readable } from 'node:stream';
import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import { type Dispatcher, Pool } from 'undici';
import type { GatewayLimits } from '../base/limits.ts';
import { connectOptions } from '../origin/connect-options.ts';
import { Lanes } from '../origin/http1/http1-origin.ts';
import type {
  AnswerHandler,
  Lane,
  OpenOrigin,
  OriginError,
  OriginExchange,
  OriginRequest,
  RequestBody,
} from '../origin/origin.ts';

/**
 * An origin client over undici. The product does not use it: the tests compare our own client with it. undici has no
 * trailers for requests.
 */
export class UndiciOrigin implements OpenOrigin {
  readonly address: OriginAddress;
  readonly #keptPool: Pool;
  readonly #fresh: Pool;
  readonly #lanes: Lanes;
  readonly #servername: string | undefined;

  constructor(address: OriginAddress, limits: GatewayLimits) {
    this.address = address;
    const base = address.kind === 'url' ? address.origin : 'http://localhost';
    const options: Pool.Options = {
      connections: null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: limits.originMaxHeaderBytes,
      headersTimeout: limits.originHeadersMs,
      bodyTimeout: limits.originBodyIdleMs,
      connectTimeout: limits.originConnectMs,
      ...(address.kind === 'unix' ? { socketPath: address.path } : {}),
    };
    this.#keptPool = new Pool(base, options);
    this.#fresh = new Pool(base, { ...options, pipelining: 0 });
    this.#lanes = new Lanes(limits);
    const { isSecure, options: place } = connectOptions(address);
    this.#servername = isSecure ? place.servername : undefined;
  }

  capacityOf(lane: Lane) {
    return this.#lanes.capacityOf(lane);
  }

  send(lane: Lane, request: OriginRequest, handler: AnswerHandler): OriginExchange | undefined {
    if (!this.#lanes.take(lane)) return undefined;
    const exchange = new UndiciExchange(handler, () => {
      this.#lanes.release(lane);
    });
    const { method, target, visitorFields, gatewayFields, body } = request;
    const pool = lane === 'retry' ? this.#fresh : this.#keptPool;
    pool.dispatch(
      {
        method,
        path: target,
        headers: [...visitorFields.values, ...gatewayFields],
        body: body === undefined ? null : new BodyStream(body),
        // Otherwise undici would use the visitor's Host for SNI, and would open a new connection whenever the Host
        // changes.
        ...(this.#servername === undefined ? {} : { servername: this.#servername }),
      },
      exchange,
    );
    return exchange;
  }

  async close(): Promise<void> {
    await Promise.all([this.#keptPool.close(), this.#fresh.close()]);
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#keptPool.destroy(), this.#fresh.destroy()]);
  }
}

class UndiciExchange implements OriginExchange, Dispatcher.DispatchHandler {
  readonly #handler: AnswerHandler;
  readonly #release: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(handler: AnswerHandler, release: () => void) {
    this.#handler = handler;
    this.#release = release;
  }

  abort(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#controller?.abort(new Error('aborted'));
  }

  pause(): void {
    if (!this.#isOver) this.#controller?.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('aborted'));
  }

  onResponseStarted(): void {
    this.#hasBegun = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason = '',
  ): void {
    if (this.#isOver) return;
    const fields = textOf(controller.rawHeaders);
    if (status < 200) {
      this.#handler.onInformational(status, fields);
      return;
    }
    this.#handler.onHead(status, reason, fields);
    process.nextTick(() => {
      if (!this.#isOver) this.#handler.onFlush();
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, part: Buffer): void {
    if (!this.#isOver) this.#handler.onData(part, false);
  }

  onResponseEnd({ rawTrailers }: Dispatcher.DispatchController): void {
    if (this.#isOver) return;
    this.#finish();
    this.#handler.onEnd(textOf(rawTrailers));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    this.#finish();
    this.#handler.onError({ kind: kindOf(error, this.#hasBegun), detail: error.message });
  }

  #finish(): void {
    this.#isOver = true;
    this.#release();
  }
}

/** A body in the form that undici reads. */
class BodyStream extends Readable {
  readonly #body: RequestBody;
  #isStarted = false;

  constructor(body: RequestBody) {
    super();
    this.#body = body;
  }

  override _read(): void {
    if (this.#isStarted) {
      this.#body.resume();
      return;
    }
    this.#isStarted = true;
    this.#body.start({
      onPart: (part) => {
        if (!this.push(part)) this.#body.pause();
      },
      onPartsEnd: () => this.push(null),
    });
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#body.stop();
    callback(error);
  }
}

function kindOf(error: Error, hasBegun: boolean): OriginError['kind'] {
  // Node's system errors have `syscall`. undici's errors have only a code.
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return 'connect';
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ECONNREFUSED':
      return 'connect';
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'timeout';
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return hasBegun ? 'truncated' : 'closed';
    case 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
    case 'UND_ERR_INVALID_ARG':
      return 'unsendable';
    default:
      return 'malformed';
  }
}

function textOf(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((field) => (typeof field === 'string' ? field : field.toString('latin1')));
}
