import type { ValidateFailure, ValidateOutcome } from '@guard/config/contract/ports';
import { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import type { Reply, Silence } from './question.ts';

/**
 * Contract 2.2, 2.5 and 7.1: what a reply means. A 4xx is an answer as soon as its header section is there:
 * whoever can make a body hang or break off must not turn a refused question into a passed visitor.
 */
export function readOutcome(reply: Reply): ValidateOutcome {
  switch (reply.kind) {
    case 'answer':
      return readAnswer(reply.status, reply.body.toString());
    case 'partial':
      if (isRejection(reply.status)) return rejected(reply.status, undefined);
      if (reply.status >= 500) return failed('server_error', `status ${reply.status}`);
      return reply.why === 'too large'
        ? failed('bad_answer', 'the answer is too large')
        : silent(reply.why, 'the answer was not whole');
    case 'none':
      return silent(reply.why, reply.detail);
  }
}

function readAnswer(status: number, text: string): ValidateOutcome {
  if (status >= 500) return failed('server_error', `status ${status}`);
  const body = parseJson(text);
  if (isRejection(status)) return rejected(status, body);
  // A redirect is followed nowhere: the key would go with the question.
  if (status !== 200) return failed('bad_answer', `status ${status}`);
  if (field(body, 'success') === false) return failed('unsuccessful', 'success: false');
  const parsed = ForeignValidateResponse.safeParse(body);
  return parsed.success
    ? { kind: 'answered', response: parsed.data }
    : failed('bad_answer', 'the answer has not the shape of contract 2.2');
}

function isRejection(status: number): boolean {
  return status >= 400 && status < 500;
}

function rejected(status: number, body: unknown): ValidateOutcome {
  const type = field(field(body, 'error'), 'type');
  const isName = typeof type === 'string' && /^\w{1,64}$/.test(type);
  return { kind: 'rejected', status, type: isName ? type : 'unknown' };
}

function silent(why: Silence, detail: string): ValidateOutcome {
  return failed(why === 'given up' ? 'timeout' : why, detail);
}

function failed(reason: ValidateFailure, detail: string): ValidateOutcome {
  return { kind: 'failed', reason, detail };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
