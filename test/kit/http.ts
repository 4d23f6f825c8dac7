import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * One HTTP request with exactly these headers: fetch would add its own. Rejects when the connection
 * breaks before the answer is whole.
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
    const sent = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What must come true has nearly the time of a test: on a busy machine, a shorter limit fails without a fault. */
const PATIENCE_MS = 45_000;

/** Asks until `accept` is content with the answer; fails with the last answer after `timeoutMs`. */
export async function poll<T>(
  ask: () => Promise<T>,
  accept: (value: T) => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const value = await ask();
    if (accept(value)) return value;
    if (Date.now() > until) throw new Error(`not within ${timeoutMs} ms: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
