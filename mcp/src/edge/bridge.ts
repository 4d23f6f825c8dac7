import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isObject, isProtocolError, type Reply } from './json-rpc.ts';

/** Answers one request, or rejects where a tool broke. `signal` aborts when the caller has gone. */
export type Ask<Caller> = (
  request: { readonly method: string; readonly params: unknown },
  caller: Caller,
  signal: AbortSignal,
) => Promise<Reply>;

interface Call<Caller> {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly answer: (reply: Reply) => void;
  readonly fail: (error: Error) => void;
}

/**
 * A transport of the SDK without any HTTP in it: the strict edge (endpoint.ts) reads one request and
 * asks, and what the SDK sends back is the reply. One connection serves all callers at once, so each
 * request gets an id of ours: two clients may both send 1. Holds one entry for each open request.
 */
export class Bridge<Caller> implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #calls = new Map<RequestId, Call<Caller>>();
  #nextId = 1;

  readonly ask: Ask<Caller> = ({ method, params }, caller, signal) =>
    new Promise((answer, fail) => {
      const id = this.#nextId++;
      this.#calls.set(id, { caller, signal, answer, fail });
      this.onmessage?.({ jsonrpc: '2.0', id, method, ...paramsForSdk(params) });
    });

  /** Who sent a request that is still open. */
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
      // The SDK makes -32603 of what a handler throws, with a text that is not for callers.
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
 * The SDK drops a message whose `params` is a list or whose `_meta` has another shape than it knows, and
 * would never answer. `task` asks for a feature that neither server has. No method here reads either.
 */
function paramsForSdk(params: unknown): { params?: Record<string, unknown> } {
  if (!isObject(params)) return {};
  const known = { ...params };
  delete known['_meta'];
  delete known['task'];
  return { params: known };
}
