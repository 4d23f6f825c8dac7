import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isObject, isProtocolError, type Reply } from './json-rpc.ts';

/** Answers one request. Rejects when a tool throws. `signal` aborts when the caller disconnects. */
export type Ask<Caller> = (
  request: { readonly method: string; readonly params: unknown },
  caller: Caller,
  signal: AbortSignal,
) => Promise<Reply>;

interface OpenCall<Caller> {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly answer: (reply: Reply) => void;
  readonly fail: (error: Error) => void;
}

/**
 * A transport of the SDK without HTTP. endpoint.ts parses a request and calls `ask`. The message that the SDK sends
 * back is the reply. All callers share one connection, so each request gets a new id, because two clients can both send
 * the id 1.
 */
export class Bridge<Caller> implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #calls = new Map<RequestId, OpenCall<Caller>>();
  #nextId = 1;

  readonly ask: Ask<Caller> = ({ method, params }, caller, signal) =>
    new Promise((answer, fail) => {
      const id = this.#nextId++;
      this.#calls.set(id, { caller, signal, answer, fail });
      this.onmessage?.({ jsonrpc: '2.0', id, method, ...paramsForSdk(params) });
    });

  /** The caller of an open request. */
  callOf(id: RequestId): { readonly caller: Caller; readonly signal: AbortSignal } {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error('This request is not open.');
    return call;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) && message.id !== undefined) {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if ('result' in message) call?.answer({ kind: 'result', result: message.result });
      // The SDK turns an error of a handler into -32603, with a text that callers must not see.
      else if (isProtocolError(message.error.code))
        call?.answer({ kind: 'error', ...message.error });
      else call?.fail(new Error('A tool broke.'));
    }
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}

/**
 * The SDK never answers a message with a list in `params` or an unknown shape of `_meta`. `task` asks for a feature
 * that neither server has. No method of the servers reads these values, so they are removed.
 */
function paramsForSdk(params: unknown): { params?: Record<string, unknown> } {
  if (!isObject(params)) return {};
  const cleanedParams = { ...params };
  delete cleanedParams['_meta'];
  delete cleanedParams['task'];
  return { params: cleanedParams };
}
