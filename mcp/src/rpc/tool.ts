import type { JsonObject, Reply } from './json-rpc.ts';

/** What one tool call ends in. An `error` says to its reader what to change. */
export type ToolOutcome =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string };

/** One tool of a server whose callers are known as `Caller`. */
export interface Tool<Caller> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of `arguments`; its root is an object. */
  readonly inputSchema: JsonObject;
  /** Checks its own arguments. `signal` aborts when the caller has gone. */
  call(args: JsonObject, caller: Caller, signal: AbortSignal): ToolOutcome | Promise<ToolOutcome>;
}

/** How `tools/list` shows a tool. Every tool here only reads. */
export function describeTool(tool: Tool<never>): JsonObject {
  const { name, title, description, inputSchema } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: { title, readOnlyHint: true, openWorldHint: false },
  };
}

/** How `tools/call` answers (spec 4.4, 7.3): a failed tool is still a result, with `isError` true. */
export function toolReply(outcome: ToolOutcome): Reply {
  return {
    kind: 'result',
    result: {
      content: [{ type: 'text', text: outcome.text }],
      isError: outcome.kind === 'error',
    },
  };
}
