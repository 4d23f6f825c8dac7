import type { Leave, Upload, UploadResult, RequiredWork } from '../../page-contract/evidence.ts';
import { write } from './form.ts';
import { requiredWorkOf } from './required-work.ts';

const results: readonly string[] = [
  'reload',
  'retry',
  'failed',
  'no_session',
] satisfies UploadResult[];

/** Waits before the second and the third try, in milliseconds. */
const WAITS_MS = [500, 1500];
const TIMEOUT_MS = 10_000;

/** Maximum number of waits that the collector can ask for with `Retry-After`. */
const MAX_WAITS = 10;
/** Longest wait, in milliseconds: the lifetime of a ticket. */
const MAX_WAIT_MS = 600_000;

/** The collector gave no result. `waitMs` is set when its answer has a `Retry-After`. */
interface Unanswered {
  readonly waitMs: number | undefined;
}

/**
 * Sends the evidence. `unreachable` means that every try ended without a connection, or with 429 or a 5xx. When the
 * collector sends `Retry-After`, calls `onWait` and sends the evidence again after this time. Never rejects.
 */
export async function upload(
  url: string,
  body: Upload,
  onWait: () => void,
): Promise<UploadResult | RequiredWork | 'unreachable'> {
  const bodyText = write(body);
  let waits = 0;
  let tries = 0;
  for (;;) {
    const answer = await post(url, bodyText);
    if (typeof answer === 'string' || 'task' in answer) return answer;
    let { waitMs } = answer;
    if (waitMs !== undefined && waits < MAX_WAITS) {
      waits += 1;
      onWait();
    } else {
      waitMs = WAITS_MS[tries];
      tries += 1;
    }
    if (waitMs === undefined) return 'unreachable';
    const ms = waitMs;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/**
 * Reports that the visitor left the page before the collector answered. The browser sends this even after the page is
 * closed.
 */
export function reportLeft(url: string, ticket: string): void {
  const body: Leave = { ticket, left: true };
  send(url, { body: JSON.stringify(body), keepalive: true }).catch(() => undefined);
}

function send(url: string, request: RequestInit): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    cache: 'no-store',
    credentials: 'same-origin',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    ...request,
  });
}

async function post(url: string, body: string): Promise<UploadResult | RequiredWork | Unanswered> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const response = await send(url, { body, signal: abort.signal });
    const { status, headers } = response;
    if (status >= 500 || status === 429) return { waitMs: waitOf(headers.get('Retry-After')) };
    const text = await response.text();
    const result = requiredWorkOf(text) ?? resultOf(text);
    // An instance of another version can refuse the form of this upload. A reload gets a page of that version.
    return status === 400 ? 'retry' : result;
  } catch {
    return { waitMs: undefined };
  } finally {
    clearTimeout(timer);
  }
}

/** The wait in milliseconds. Undefined when `Retry-After` is not a positive number of seconds. */
function waitOf(retryAfter: string | null): number | undefined {
  const seconds = Number(retryAfter ?? '');
  return seconds > 0 ? Math.min(seconds * 1000, MAX_WAIT_MS) : undefined;
}

/**
 * The result in an answer. An answer of another server, such as a login page or an error of a proxy, is a failure. An
 * unknown word comes from another version of Guard. Then a reload gets the page of that version, and the loop guard
 * counts the reloads.
 */
function resultOf(text: string): UploadResult {
  const result = /^\{"result":"(\w+)"\}$/.exec(text)?.[1];
  if (result === undefined) return 'failed';
  // `satisfies` above checks that the list has only results.
  return results.includes(result) ? (result as UploadResult) : 'retry';
}
