import { useContext, useEffect, useState } from 'preact/hooks';
import { SignedOut } from './query.ts';
import { SignedIn } from './signed-in.ts';

export type Asked<T> =
  /** `last` is the answer before, while the next one is awaited. */
  | { readonly state: 'loading'; readonly last: T | undefined }
  | { readonly state: 'ready'; readonly answer: T }
  | { readonly state: 'failed'; readonly message: string };

/** Asks the server by `load`. Other `keys`, or leaving the panel, cancel the running question. */
export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): Asked<T> & { readonly retry: () => void } {
  const { signedOut } = useContext(SignedIn);
  const [asked, setAsked] = useState<Asked<T>>({ state: 'loading', last: undefined });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    setAsked((was) => ({ state: 'loading', last: answerOf(was) }));
    load(ending.signal).then(
      (answer) => {
        if (!ending.signal.aborted) setAsked({ state: 'ready', answer });
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        if (error instanceof SignedOut) signedOut();
        setAsked({ state: 'failed', message: messageOf(error) });
      },
    );
    return () => ending.abort();
  }, [...keys, attempt]);
  return { ...asked, retry: () => setAttempt(attempt + 1) };
}

/** The answer to show: the last one while the next one is awaited. */
export function answerOf<T>(asked: Asked<T>): T | undefined {
  if (asked.state === 'ready') return asked.answer;
  return asked.state === 'loading' ? asked.last : undefined;
}

/** The text for an error. A failed connection would otherwise show the browser's own words. */
function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'Guard cannot be reached.';
  return error instanceof Error ? error.message : 'Something went wrong.';
}
