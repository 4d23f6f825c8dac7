import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type Answer, ask } from '../data/query.ts';
import { answerOf, type AnswerState, useAnswer } from '../data/use-answer.ts';
import { CopyButton } from './copy-button.tsx';
import { SmallButton } from './small-button.tsx';

interface PanelProps {
  readonly title: string;
  /** A sentence about the content of the panel. */
  readonly about?: string;
  readonly sql?: string;
  /** Controls beside the title. */
  readonly tools?: ComponentChildren;
  readonly busy?: boolean;
  readonly children: ComponentChildren;
}

/** A part of the page with a title. The viewer can see and copy its statement. */
export function Panel({ title, about, sql, tools, busy = false, children }: PanelProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <section class="panel" aria-labelledby={id} aria-busy={busy}>
      <header>
        <div class="title">
          <h2 id={id}>{title}</h2>
          {about === undefined ? null : <p class="about">{about}</p>}
        </div>
        <div class="tools">
          {tools}
          {sql === undefined ? null : (
            <SmallButton
              aria-expanded={open}
              aria-label={`SQL of ${title}`}
              onClick={() => setOpen(!open)}
            >
              SQL
            </SmallButton>
          )}
        </div>
      </header>
      {open && sql !== undefined ? <Statement sql={sql} /> : null}
      {children}
    </section>
  );
}

function Statement({ sql }: { readonly sql: string }) {
  return (
    <div class="statement">
      <p>
        Send it to <code>POST /query</code>, or change it to ask something else.{' '}
        <CopyButton text={sql} label="Copy SQL" />
      </p>
      <pre tabIndex={0} aria-label="SQL">
        {sql}
      </pre>
    </div>
  );
}

interface QueryPanelProps extends Omit<PanelProps, 'sql' | 'children' | 'busy'> {
  readonly sql: string;
  /** The text of the panel when there are no rows. */
  readonly empty: string;
  readonly children: (answer: Answer) => ComponentChildren;
}

/** A panel with the rows of one statement. It shows a text while it loads, and another text when there are no rows. */
export function QueryPanel({ sql, empty, children, ...panel }: QueryPanelProps) {
  const request = useAnswer((signal) => ask(sql, signal), [sql]);
  const answer = answerOf(request);
  return (
    <Panel {...panel} sql={sql} busy={request.state === 'loading'}>
      {request.state === 'failed' ? (
        <Failed message={request.message} retry={request.retry} />
      ) : null}
      {request.state === 'loading' && answer === undefined ? <Loading /> : null}
      {answer === undefined ? null : (
        <div class={request.state === 'loading' ? 'old' : ''}>
          {answer.rows.length === 0 ? <p class="empty">{empty}</p> : children(answer)}
        </div>
      )}
    </Panel>
  );
}

interface RequestStateProps {
  readonly request: AnswerState<unknown> & { readonly retry: () => void };
  readonly loading?: string;
}

/** Shows that a request is running or has failed. */
export function RequestState({ request, loading }: RequestStateProps) {
  if (request.state === 'loading') return <Loading>{loading}</Loading>;
  if (request.state === 'ready') return null;
  return <Failed message={request.message} retry={request.retry} />;
}

export function Loading({ children = 'Loading …' }: { readonly children?: ComponentChildren }) {
  return <p class="loading">{children}</p>;
}

interface FailedProps {
  readonly message: string;
  readonly retry?: () => void;
}

export function Failed({ message, retry }: FailedProps) {
  return (
    <div class="failed" role="alert">
      <p>{message}</p>
      {retry === undefined ? null : <SmallButton onClick={retry}>Try again</SmallButton>}
    </div>
  );
}
