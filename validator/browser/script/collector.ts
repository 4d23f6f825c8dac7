import type { Upload } from '../../page-contract/evidence.ts';
import { requiredWorkOf } from '../page/required-work.ts';
import { work } from '../page/work.ts';
import type { OpenedSession } from '../../page-contract/opened-session.ts';

/** The requests of the browser script to the collector. A failed request is not sent again. */

const TIMEOUT_MS = 10_000;

/** Gets a ticket and its session. Undefined when the collector opens no session. Rejects when the connection fails. */
export async function openSession(
  scriptUrl: string,
  sessionIds: readonly string[],
): Promise<OpenedSession | undefined> {
  const { search } = new URL(scriptUrl);
  const [firstId = ''] = sessionIds;
  const body = sessionIds.length > 1 ? sessionIds.map((id) => `_guard=${id}`).join('; ') : firstId;
  // Plain text needs no preflight.
  const response = await post(new URL(`session${search}`, scriptUrl), body, 'text/plain');
  return response.status === 200 ? readOpenedSession(await response.json()) : undefined;
}

/**
 * True when the collector has accepted and judged the evidence, with any judgement. When the collector requires work,
 * this function does the work and sends the evidence again.
 */
export async function sendEvidence(scriptUrl: string, body: Upload): Promise<boolean> {
  const response = await post(
    new URL('verify', scriptUrl),
    JSON.stringify(body),
    'application/json',
  );
  const answerText = response.status === 200 ? await response.text() : '';
  const requiredWork = requiredWorkOf(answerText);
  if (requiredWork === undefined || body.work) return answerText === '{"result":"reload"}';
  const workResult = await work(new URL('work.js', scriptUrl).href, requiredWork.task, undefined);
  return sendEvidence(scriptUrl, { ...body, ...workResult });
}

function readOpenedSession(body: unknown): OpenedSession | undefined {
  // A proxy can have replaced the answer of Guard, so each used field is checked.
  const session = body as Partial<OpenedSession> | null;
  const id = session?.cookie?.value;
  return typeof session?.ticket === 'string' &&
    typeof session.sheet === 'string' &&
    /^[0-9a-f-]{36}$/i.test(id ?? '')
    ? (session as OpenedSession)
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
