import type { Validate, ValidateOutcome } from '@guard/config/contract/ports';
import { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import type { RemoteValidator } from '@guard/config/settings/schema';
import { type Dispatcher, Pool } from 'undici';

export interface RemoteValidatorClient {
  readonly validate: Validate;
  readonly close: () => Promise<void>;
}

/** Largest answer of a validator that is read: a block page and its headers, with room. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Questions under way at once. Beyond them there is no answer to be had in time. */
const MAX_QUESTIONS = 1_024;
const CONNECTIONS = 256;

/**
 * Asks a validator over `POST {url}/validate` (spec 4.1) on kept connections. Every way this can go
 * wrong is an outcome; it never rejects. The whole question has `timeout` milliseconds.
 */
export function validateOverHttp(remote: RemoteValidator): RemoteValidatorClient {
  const { origin, pathname } = new URL(remote.url);
  const path = `${pathname.replace(/\/+$/, '')}/validate`;
  const pool = new Pool(origin, { connections: CONNECTIONS, allowH2: false, pipelining: 1 });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-api-key': remote.key,
  };
  let underway = 0;

  const validate: Validate = async (request, context) => {
    if (underway >= MAX_QUESTIONS) return failed('transport', 'too many questions under way');
    underway++;
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort();
    }, remote.timeout);
    const { signal } = deadline;
    try {
      const answer = await pool.request({
        path,
        method: 'POST',
        headers,
        body: JSON.stringify(request),
        signal: context.signal === undefined ? signal : AbortSignal.any([signal, context.signal]),
      });
      const text = await readText(answer.body);
      return text === undefined
        ? failed('malformed', 'the answer is too large')
        : readOutcome(answer.statusCode, text);
    } catch (error) {
      if (signal.aborted) return failed('timeout', `no answer in ${remote.timeout} ms`);
      return failed('transport', error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(timer);
      underway--;
    }
  };
  return { validate, close: () => pool.destroy() };
}

/** Undefined when the body is longer than any validator's answer; the rest of it is not read. */
async function readText(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // undici's body yields Buffers unless an encoding is set.
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Spec 2.2, 2.5 and 7.1: status and body to an outcome. */
function readOutcome(status: number, text: string): ValidateOutcome {
  if (status >= 500) return failed('server_error', `status ${status}`);
  const body = parseJson(text);
  if (status >= 400) return { kind: 'rejected', status, type: errorType(body) };
  if (status !== 200) return failed('malformed', `status ${status}`);
  if (field(body, 'success') === false) return failed('unsuccessful', 'success: false');
  const parsed = ForeignValidateResponse.safeParse(body);
  return parsed.success
    ? { kind: 'answered', response: parsed.data }
    : failed('malformed', 'the answer has not the shape of spec 2.2');
}

function failed(
  reason: Extract<ValidateOutcome, { kind: 'failed' }>['reason'],
  detail: string,
): ValidateOutcome {
  return { kind: 'failed', reason, detail };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorType(body: unknown): string {
  const type = field(field(body, 'error'), 'type');
  return typeof type === 'string' && /^\w{1,64}$/.test(type) ? type : 'unknown';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
