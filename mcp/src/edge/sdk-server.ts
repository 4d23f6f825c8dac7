import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestParamsSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { Bridge, type Ask } from './bridge.ts';
import { isObject, PROTOCOL_VERSION, rpcErrors, type RpcErrorName } from './json-rpc.ts';
import type { Tool, ToolOutcome } from './tool.ts';

/** What tells one server from another. */
export interface McpService<Caller> {
  readonly info: { readonly name: string; readonly version: string };
  /** What `initialize` tells an assistant before it calls anything. */
  readonly instructions: string;
  /** Only the documentation server answers `ping` (contract 4.5). */
  readonly answersPing: boolean;
  readonly tools: readonly Tool<Caller>[];
}

// What does not fit the schema of a method becomes -32603. So these fit everything, and each handler
// reads its own params. `initialize` also accepts `params: {}`, which the SDK's schema does not (contract 4.4).
const Initialize = z.object({ method: z.literal('initialize'), params: z.unknown().optional() });
const ListTools = z.object({ method: z.literal('tools/list') });
const CallTool = z.object({ method: z.literal('tools/call'), params: z.unknown().optional() });

/**
 * Serves the methods of contract 4.4 and 4.5 with the SDK's low-level server, and returns how to ask it.
 * Tools are not registered with McpServer itself: it answers an unknown tool with a result, not with -32602.
 */
export function createSdkServer<Caller>(service: McpService<Caller>): Ask<Caller> {
  const { info, instructions, tools } = service;
  const capabilities = { tools: { listChanged: false } };
  const { server } = new McpServer(info, { capabilities });
  const bridge = new Bridge<Caller>();
  const listed = { tools: tools.map(describeTool) };
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const methods = ['initialize', 'tools/list', 'tools/call'];

  if (service.answersPing) methods.push('ping');
  else server.removeRequestHandler('ping');
  server.setRequestHandler(Initialize, ({ params }) => {
    if (!isObject(params)) throw new RpcError('invalid_params', 'Send a `params` object.');
    return { protocolVersion: PROTOCOL_VERSION, capabilities, serverInfo: info, instructions };
  });
  server.setRequestHandler(ListTools, () => listed);
  server.setRequestHandler(CallTool, async ({ params }, { requestId }) => {
    const { name, arguments: args = {} } = CallToolRequestParamsSchema.parse(params);
    const tool = byName.get(name);
    if (tool === undefined) {
      throw new RpcError('invalid_params', `Tools here: ${[...byName.keys()].join(', ')}.`);
    }
    const { caller, signal } = bridge.callOf(requestId);
    return callTool(tool, args, caller, signal);
  });
  server.fallbackRequestHandler = () =>
    Promise.reject(new RpcError('method_not_found', `Methods here: ${methods.join(', ')}.`));

  // It is connected when this call returns: what it still waits for is a `start` that does nothing.
  void server.connect(bridge);
  return bridge.ask;
}

/** How `tools/list` shows a tool. Every tool here only reads. */
function describeTool({ name, title, description, input }: Tool<never>) {
  const { type, properties, required } = z.toJSONSchema(input, { io: 'input' });
  return {
    name,
    title,
    description,
    inputSchema: { type, properties, ...(required && { required }) },
    annotations: { title, readOnlyHint: true, openWorldHint: false },
  };
}

/** How `tools/call` answers (contract 4.4, 7.3): a failed tool is still a result, with `isError` true. */
async function callTool<Caller>(
  tool: Tool<Caller>,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
  signal: AbortSignal,
) {
  const checked = tool.input.safeParse(args);
  const { kind, text, structured }: ToolOutcome = checked.success
    ? await tool.call(checked.data, caller, signal)
    : { kind: 'error', text: checked.error.issues.map(({ message }) => message).join(' ') };
  return {
    content: [{ type: 'text', text }],
    ...(structured && { structuredContent: structured }),
    isError: kind === 'error',
  };
}

/** The SDK takes the code of a protocol error from what a handler throws, and its message as it is. */
class RpcError extends Error {
  readonly code: number;

  constructor(name: RpcErrorName, message: string) {
    super(message);
    this.code = rpcErrors[name];
  }
}
