import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestParamsSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { Bridge, type Ask } from './bridge.ts';
import { isObject, PROTOCOL_VERSION, rpcErrors, type RpcErrorName } from './json-rpc.ts';
import type { Tool, ToolOutcome } from './tool.ts';

/** The values that differ between the two servers. */
export interface McpService<Caller> {
  readonly info: { readonly name: string; readonly version: string };
  /** The text in the answer to `initialize`, which an assistant reads first. */
  readonly instructions: string;
  /** Only the documentation server answers `ping` (contract 4.5). */
  readonly answersPing: boolean;
  readonly tools: readonly Tool<Caller>[];
}

// The SDK answers -32603 when a request does not match the schema of its method. So these schemas accept everything,
// and each handler parses its own params. The SDK's schema also refuses `params: {}` for `initialize` (contract 4.4).
const Initialize = z.object({ method: z.literal('initialize'), params: z.unknown().optional() });
const ListTools = z.object({ method: z.literal('tools/list') });
const CallTool = z.object({ method: z.literal('tools/call'), params: z.unknown().optional() });

/**
 * Serves the methods of contract 4.4 and 4.5 with the SDK's low-level server, and returns a function that asks it.
 * McpServer of the SDK is not used, because it answers a call of an unknown tool with a result in place of -32602.
 */
export function createSdkServer<Caller>(service: McpService<Caller>): Ask<Caller> {
  const { info, instructions, tools } = service;
  const capabilities = { tools: { listChanged: false } };
  const { server } = new McpServer(info, { capabilities });
  const bridge = new Bridge<Caller>();
  const toolList = { tools: tools.map(describeTool) };
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  const methods = ['initialize', 'tools/list', 'tools/call'];

  if (service.answersPing) methods.push('ping');
  else server.removeRequestHandler('ping');
  server.setRequestHandler(Initialize, ({ params }) => {
    if (!isObject(params)) throw new RpcError('invalid_params', 'Send a `params` object.');
    return { protocolVersion: PROTOCOL_VERSION, capabilities, serverInfo: info, instructions };
  });
  server.setRequestHandler(ListTools, () => toolList);
  server.setRequestHandler(CallTool, async ({ params }, { requestId }) => {
    const { name, arguments: args = {} } = CallToolRequestParamsSchema.parse(params);
    const tool = toolsByName.get(name);
    if (tool === undefined) {
      throw new RpcError('invalid_params', `Tools here: ${[...toolsByName.keys()].join(', ')}.`);
    }
    const { caller, signal } = bridge.callOf(requestId);
    return callTool(tool, args, caller, signal);
  });
  server.fallbackRequestHandler = () =>
    Promise.reject(new RpcError('method_not_found', `Methods here: ${methods.join(', ')}.`));

  // The bridge is connected when this call returns. The promise waits only for `start`, and `start` does nothing.
  void server.connect(bridge);
  return bridge.ask;
}

/** Returns a tool in the form of `tools/list`. All tools of both servers only read. */
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

/**
 * Returns the answer to `tools/call` (contract 4.4, 7.3). When a tool fails, the answer is a result with `isError`
 * true.
 */
async function callTool<Caller>(
  tool: Tool<Caller>,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
  signal: AbortSignal,
) {
  const parsedArgs = tool.input.safeParse(args);
  const { kind, text, structured }: ToolOutcome = parsedArgs.success
    ? await tool.call(parsedArgs.data, caller, signal)
    : { kind: 'error', text: parsedArgs.error.issues.map(({ message }) => message).join(' ') };
  return {
    content: [{ type: 'text', text }],
    ...(structured && { structuredContent: structured }),
    isError: kind === 'error',
  };
}

/** When a handler throws, the SDK takes the code and message of the protocol error from the exception. */
class RpcError extends Error {
  readonly code: number;

  constructor(name: RpcErrorName, message: string) {
    super(message);
    this.code = rpcErrors[name];
  }
}
