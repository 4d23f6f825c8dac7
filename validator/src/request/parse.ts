import type { ValidateErrorType } from '@guard/config/contract/errors';
import { VALIDATE } from '@guard/config/contract/limits';
import { ValidateRequest } from '@guard/config/contract/validate-request';

export type Parsed =
  | { readonly kind: 'request'; readonly request: ValidateRequest }
  | { readonly kind: 'error'; readonly type: ValidateErrorType; readonly message: string };

/**
 * The body of `POST /validate` to a typed request (spec 2.1), or the error of spec 7.1 with a
 * message that names the field. No message repeats a value that was sent.
 */
export function parseValidateBody(body: string): Parsed {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('The body must be a JSON object.');
  }
  const missing = ['url', 'ip'].filter((name) =>
    isAbsent((value as Record<string, unknown>)[name]),
  );
  if (missing.length > 0) {
    return {
      kind: 'error',
      type: 'missing_fields',
      message: `Missing: ${missing.map((name) => `\`${name}\``).join(' and ')}.`,
    };
  }
  if (typeof (value as Record<string, unknown>)['ip'] !== 'string') {
    return { kind: 'error', type: 'invalid_ip', message: '`ip` must be a string.' };
  }
  const checked = ValidateRequest.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return invalid(`\`${fieldOf(issue?.path ?? [])}\` is not valid.`);
  }
  if (Object.keys(checked.data.headers ?? {}).length > VALIDATE.maxHeaders) {
    return invalid(`\`headers\` holds more than ${VALIDATE.maxHeaders} fields.`);
  }
  return { kind: 'request', request: checked.data };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function invalid(message: string): Parsed {
  return { kind: 'error', type: 'invalid_request', message };
}

/** Only the field's own name: below `headers` the path holds names that the visitor chose. */
function fieldOf(path: readonly PropertyKey[]): string {
  return String(path[0] ?? 'body');
}
