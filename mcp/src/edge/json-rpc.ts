import { decodeUtf8, parseJson } from '@guard/config/contract/json';

/**
 * The part of JSON-RPC 2.0 that MCP revision 2025-06-18 uses: one message per body, no batches, and an id that is a
 * string or an integer. JSON-RPC itself is less strict and allows `null` and fractions.
 */

/**
 * The only supported protocol revision. Clients get it even if they offer another revision (contract 4.4,
 * 4.5, 9).
 */
export const PROTOCOL_VERSION = '2025-06-18';

export type RequestId = string | number;
type JsonObject = Readonly<Record<string, unknown>>;

/** The possible results of parsing the body of one POST. */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: 'notification'; readonly method: string }
  | { readonly kind: 'unparsable' }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly problem: string };

/** The protocol errors of contract 7.3 and 7.4. An error inside a tool is not a protocol error. */
export const rpcErrors = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
} as const;
export type RpcErrorName = keyof typeof rpcErrors;
const protocolErrorCodes: ReadonlySet<number> = new Set(Object.values(rpcErrors));

/** True for an error whose message callers may see. */
export function isProtocolError(code: number): boolean {
  return protocolErrorCodes.has(code);
}

/** The reply to one request: a result or a protocol error. */
export type Reply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string };

/** Parses one body. Never throws: an invalid body is `unparsable` or `invalid`. */
export function parseMessage(body: Uint8Array): Message {
  const value = parseJson(decodeUtf8(body) ?? '');
  if (value === undefined) return { kind: 'unparsable' };
  if (Array.isArray(value)) {
    return { kind: 'invalid', id: null, problem: 'Send one message a request: no batches.' };
  }
  if (!isObject(value)) {
    return { kind: 'invalid', id: null, problem: 'A message is a JSON object.' };
  }
  return readMessage(value);
}

function readMessage(message: JsonObject): Message {
  const { jsonrpc, id, method, params } = message;
  const echoedId = isRequestId(id) ? id : null;
  const invalid = (problem: string): Message => ({ kind: 'invalid', id: echoedId, problem });
  if (jsonrpc !== '2.0') return invalid('`jsonrpc` must be "2.0".');
  if (typeof method !== 'string') return invalid('`method` must be a string.');
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return invalid('`params` must be an object.');
  }
  if (!Object.hasOwn(message, 'id')) return { kind: 'notification', method };
  if (echoedId === null) return invalid('`id` must be a string or an integer.');
  return { kind: 'request', id: echoedId, method, params };
}

/** True for an object, but not for null or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An integer beyond 2^53 is refused, because JavaScript could not return it exactly. */
function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** Returns the JSON text of one response. */
export function encodeReply(id: RequestId | null, reply: Reply): string {
  if (reply.kind === 'result') return JSON.stringify({ jsonrpc: '2.0', id, result: reply.result });
  const { code, message } = reply;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
