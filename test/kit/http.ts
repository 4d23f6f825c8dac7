import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * Sends one HTTP request with exactly these headers, because fetch would add further header fields. Rejects when the
 * connection breaks before the end of the answer.
 */
export function send(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = String(decodeBody(response, chunks));
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Returns the decoded body of an answer. */
export function decodeBody({ headers }: IncomingMessage, chunks: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(chunks);
  return headers['content-encoding'] === 'gzip' && bytes.length > 0 ? gunzipSync(bytes) : bytes;
}

/** This is nearly the time limit of a test. With a shorter limit, correct code would fail on a busy machine. */
const PATIENCE_MS = 45_000;

/** Calls `ask` until `accept` is true for its value. Fails with the last value after `timeoutMs`. */
export async function poll<T>(
  ask: () => Promise<T>,
  accept: (value: T) => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const value = await ask();
    if (accept(value)) return value;
    if (Date.now() > deadlineMs)
      throw new Error(`not within ${timeoutMs} ms: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
