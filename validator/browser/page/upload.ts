import type { Upload, UploadResult } from '../../src/challenge/evidence/evidence.ts';

const results: readonly string[] = [
  'reload',
  'retry',
  'failed',
  'no_session',
] satisfies UploadResult[];

/** Waits before the second and the third try, in milliseconds. */
const WAITS_MS = [500, 1500];
const TIMEOUT_MS = 10_000;

/** Sends the evidence; `unreachable` when every try met a dead line, 429 or a 5xx. Never rejects. */
export async function upload(url: string, body: Upload): Promise<UploadResult | 'unreachable'> {
  const text = JSON.stringify(body);
  for (let tries = 0; ; tries += 1) {
    const result = await post(url, text);
    const waitMs = WAITS_MS[tries];
    if (result !== 'unreachable' || waitMs === undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

async function post(url: string, body: string): Promise<UploadResult | 'unreachable'> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: abort.signal,
    });
    if (response.status >= 500 || response.status === 429) return 'unreachable';
    return resultOf(await response.text());
  } catch {
    return 'unreachable';
  } finally {
    clearTimeout(timer);
  }
}

/** Anything but an answer of the collector (a login page, a proxy's error) is a failure. */
function resultOf(text: string): UploadResult {
  const found = /^\{"result":"(\w+)"\}$/.exec(text)?.[1];
  // The list is checked against the type above.
  return found !== undefined && results.includes(found) ? (found as UploadResult) : 'failed';
}
