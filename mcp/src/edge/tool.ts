import type { z } from 'zod';

/** The outcome of one tool call. The text of an `error` tells the caller what to change. */
export interface ToolOutcome {
  readonly kind: 'text' | 'error';
  readonly text: string;
  /** The content of the text in a form for programs (`structuredContent`). */
  readonly structured?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool of a server. `Caller` is the type that identifies a caller. */
export interface Tool<Caller, Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The schema of `arguments`. `tools/list` shows it as JSON Schema, and each call is checked against it. */
  readonly input: Input;
  /** Runs the tool. The arguments match `input`. `signal` aborts when the caller disconnects. */
  call(
    args: z.output<Input>,
    caller: Caller,
    signal: AbortSignal,
  ): ToolOutcome | Promise<ToolOutcome>;
}
