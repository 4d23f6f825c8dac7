import { useContext, useEffect, useState } from 'preact/hooks';
import { SignedOut } from './query.ts';
import { SignedIn } from './signed-in.ts';

export type AnswerState<T> =
  /** `last` is the previous answer. It is shown until the next answer comes. */
  | { readonly state: 'loading'; readonly last: T | undefined }
  | { readonly state: 'ready'; readonly answer: T }
  | { readonly state: 'failed'; readonly message: string };

/** Asks the server with `load`. When `keys` change or the panel is removed, the running request is cancelled. */
export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): AnswerState<T> & { readonly retry: () => void } {
  const { signedOut } = useContext(SignedIn);
  const [state, setState] = useState<AnswerState<T>>({ state: 'loading', last: undefined });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    setState((previous) => ({ state: 'loading', last: answerOf(previous) }));
    load(ending.signal).then(
      (answer) => {
        if (!ending.signal.aborted) setState({ state: 'ready', answer });
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        if (error instanceof SignedOut) signedOut();
        setState({ state: 'failed', message: messageOf(error) });
      },
    );
    return () => ending.abort();
  }, [...keys, attempt]);
  return { ...state, retry: () => setAttempt(attempt + 1) };
}

/** The answer to show. While the page waits for the next answer, it is the previous answer. */
export function answerOf<T>(request: AnswerState<T>): T | undefined {
  if (request.state === 'ready') return request.answer;
  return request.state === 'loading' ? request.last : undefined;
}

/** The text for an error. For a failed connection the browser's own text is not helpful. */
function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'Guard cannot be reached.';
  return error instanceof Error ? error.message : 'Something went wrong.';
}
