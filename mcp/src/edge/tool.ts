import type { z } from 'zod';

/** What one tool call ends in. An `error` tells its reader what to change. */
export interface ToolOutcome {
  readonly kind: 'text' | 'error';
  readonly text: string;
  /** The same for programs, where there is such a form (`structuredContent`). */
  readonly structured?: Readonly<Record<string, unknown>> | undefined;
}

/** One tool of a server whose callers are known as `Caller`. */
export interface Tool<Caller, Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What `arguments` may be. `tools/list` shows it as JSON Schema, and each call is checked against it. */
  readonly input: Input;
  /** Runs with arguments that fit `input`. `signal` aborts when the caller has gone. */
  call(
    args: z.output<Input>,
    caller: Caller,
    signal: AbortSignal,
  ): ToolOutcome | Promise<ToolOutcome>;
}
