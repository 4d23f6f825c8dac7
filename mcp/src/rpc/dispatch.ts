import { isObject } from './json-rpc.ts';
import type { JsonObject, Reply, RpcErrorName } from './json-rpc.ts';
import { describeTool, toolReply } from './tool.ts';
import type { Tool } from './tool.ts';

/** The one protocol revision both servers speak, whatever a client offers (spec 4.4, 4.5, 9). */
export const PROTOCOL_VERSION = '2025-06-18';

/** Answers one request that has an id. */
export type Dispatch<Caller> = (
  request: { readonly method: string; readonly params: unknown },
  caller: Caller,
  signal: AbortSignal,
) => Reply | Promise<Reply>;

/** What tells one server from another. */
export interface McpServer<Caller> {
  readonly info: { readonly name: string; readonly version: string };
  /** Only the documentation server answers `ping` (spec 4.5). */
  readonly answersPing: boolean;
  readonly tools: readonly Tool<Caller>[];
}

type Method<Caller> = (
  params: unknown,
  caller: Caller,
  signal: AbortSignal,
) => Reply | Promise<Reply>;

/** Builds the method table of one server: `initialize`, `tools/list`, `tools/call`, maybe `ping`. */
export function createDispatch<Caller>(server: McpServer<Caller>): Dispatch<Caller> {
  const initialized: JsonObject = {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { tools: { listChanged: false } },
    serverInfo: server.info,
  };
  const listed: JsonObject = { tools: server.tools.map(describeTool) };

  const methods = new Map<string, Method<Caller>>([
    [
      'initialize',
      (params) =>
        isObject(params) ? result(initialized) : error('invalid_params', 'Send a `params` object.'),
    ],
    ['tools/list', () => result(listed)],
    ['tools/call', createCall(server.tools)],
  ]);
  if (server.answersPing) methods.set('ping', () => result({}));
  const unknownMethod = error(
    'method_not_found',
    `Methods here: ${[...methods.keys()].join(', ')}.`,
  );

  return ({ method, params }, caller, signal) =>
    methods.get(method)?.(params, caller, signal) ?? unknownMethod;
}

function createCall<Caller>(list: readonly Tool<Caller>[]): Method<Caller> {
  const tools = new Map(list.map((tool) => [tool.name, tool]));
  const unknownTool = error('invalid_params', `Tools here: ${[...tools.keys()].join(', ')}.`);

  return async (params, caller, signal) => {
    const { name, arguments: args = {} } = isObject(params) ? params : {};
    const tool = typeof name === 'string' ? tools.get(name) : undefined;
    if (tool === undefined) return unknownTool;
    if (!isObject(args)) return error('invalid_params', '`arguments` must be an object.');
    return toolReply(await tool.call(args, caller, signal));
  };
}

function result(value: JsonObject): Reply {
  return { kind: 'result', result: value };
}

function error(name: RpcErrorName, message: string): Reply {
  return { kind: 'error', error: name, message };
}
