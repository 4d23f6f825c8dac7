/** Contract 7.1: each error type of `POST /validate`, its status, and the reaction of a caller. */

type FailMode = 'open' | 'closed';

export const validateErrors = {
  missing_fields: { status: 400, fail: 'closed', message: '`url` and `ip` are required.' },
  invalid_request: { status: 400, fail: 'closed', message: 'The request is malformed.' },
  invalid_ip: {
    status: 400,
    fail: 'closed',
    message: '`ip` must be one IP address, without a port and not a list.',
  },
  missing_api_key: { status: 401, fail: 'closed', message: 'The x-api-key header is missing.' },
  invalid_api_key: { status: 401, fail: 'closed', message: 'The API key is not valid.' },
  request_not_judged: {
    status: 409,
    fail: 'closed',
    message: 'The validator fails on this request, and not on others.',
  },
  internal_server_error: { status: 500, fail: 'open', message: 'The validator failed.' },
  validation_timeout: {
    status: 503,
    fail: 'open',
    message: 'The validation exceeded its time budget.',
  },
} as const satisfies Record<string, { status: number; fail: FailMode; message: string }>;

export type ValidateErrorType = keyof typeof validateErrors;

/** Contract 2.5: the body of an answer with one of these statuses. */
interface ValidateErrorBody {
  readonly success: false;
  readonly error: { readonly type: ValidateErrorType; readonly message: string };
}

/** The error body of contract 2.5. `message` may say more than the table, but never contains a value of the request. */
export function validateErrorBody(type: ValidateErrorType, message?: string): ValidateErrorBody {
  return { success: false, error: { type, message: message ?? validateErrors[type].message } };
}
