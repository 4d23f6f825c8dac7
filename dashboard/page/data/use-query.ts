import { useContext, useEffect, useState } from 'preact/hooks';
import { type Answer, ask, SignedOut } from './query.ts';
import { SignedIn } from './signed-in.ts';

export type Asked =
  | { readonly state: 'loading'; readonly sql: string; readonly last: Answer | undefined }
  | { readonly state: 'ready'; readonly sql: string; readonly answer: Answer }
  | { readonly state: 'failed'; readonly sql: string; readonly message: string };

/** The answer to a statement. A new statement, or leaving the panel, cancels the running one. */
export function useQuery(sql: string): Asked & { readonly retry: () => void } {
  const { signedOut } = useContext(SignedIn);
  const [asked, setAsked] = useState<Asked>({ state: 'loading', sql, last: undefined });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    setAsked((was) => ({ state: 'loading', sql, last: answerOf(was) }));
    ask(sql, ending.signal).then(
      (answer) => {
        if (!ending.signal.aborted) setAsked({ state: 'ready', sql, answer });
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        if (error instanceof SignedOut) signedOut();
        setAsked({ state: 'failed', sql, message: messageOf(error) });
      },
    );
    return () => ending.abort();
  }, [sql, attempt]);
  return { ...asked, retry: () => setAttempt(attempt + 1) };
}

function answerOf(asked: Asked): Answer | undefined {
  if (asked.state === 'ready') return asked.answer;
  return asked.state === 'loading' ? asked.last : undefined;
}

/** The text for an error. A failed connection would otherwise show the browser's own words. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'Guard cannot be reached.';
  return error instanceof Error ? error.message : 'Something went wrong.';
}
