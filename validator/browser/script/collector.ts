import type { Upload } from '../../page-contract/evidence.ts';
import { workAskedBy } from '../page/work-asked.ts';
import { work } from '../page/work.ts';
import type { OpenedSession } from '../../page-contract/opened-session.ts';

/** The requests to the collector, from which the script was loaded. They are not retried. */

const TIMEOUT_MS = 10_000;

/** A ticket and its session. Undefined when the collector gives none. Rejects when the connection fails. */
export async function openSession(
  source: string,
  presented: readonly string[],
): Promise<OpenedSession | undefined> {
  const { search } = new URL(source);
  const [only = ''] = presented;
  const body = presented.length > 1 ? presented.map((id) => `_guard=${id}`).join('; ') : only;
  // Plain text needs no preflight.
  const response = await post(new URL(`session${search}`, source), body, 'text/plain');
  return response.status === 200 ? readOpened(await response.json()) : undefined;
}

/**
 * True when the collector accepted and judged the evidence, with any result. When it requires work, the work is done,
 * and the same evidence is sent again.
 */
export async function sendEvidence(source: string, body: Upload): Promise<boolean> {
  const response = await post(new URL('verify', source), JSON.stringify(body), 'application/json');
  const text = response.status === 200 ? await response.text() : '';
  const asked = workAskedBy(text);
  if (asked === undefined || body.work) return text === '{"result":"reload"}';
  const done = await work(new URL('work.js', source).href, asked.task, undefined);
  return sendEvidence(source, { ...body, ...done });
}

function readOpened(body: unknown): OpenedSession | undefined {
  // An answer of Guard. A proxy may have replaced it by an answer in another form.
  const opened = body as Partial<OpenedSession> | null;
  const id = opened?.cookie?.value;
  return typeof opened?.ticket === 'string' &&
    typeof opened.sheet === 'string' &&
    /^[0-9a-f-]{36}$/i.test(id ?? '')
    ? (opened as OpenedSession)
    : undefined;
}

async function post(url: URL, body: string, contentType: string): Promise<Response> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    return await fetch(url.href, {
      method: 'POST',
      headers: { 'Content-Type': contentType },
      body,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      priority: 'low',
      signal: abort.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}
