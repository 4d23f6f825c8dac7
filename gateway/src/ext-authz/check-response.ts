import { isUtf8 } from 'node:buffer';
import { fieldsForVisitor } from '../forward-auth/answer.ts';
import { addOriginFields } from '../forward/proxy-headers.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { OwnAnswer } from '../message/own-answer.ts';
import { type CheckResponse, type HeaderOption, PERMISSION_DENIED } from './messages.ts';

/**
 * Fields that only Guard may send to the origin. When Guard does not send such a field, Envoy removes it from the
 * request.
 */
const GUARD_FIELDS = [
  'x-guard-decision',
  'x-guard-request-id',
  'x-guard-session',
  'x-guard-crawler',
  'x-guard-answer',
] as const;

/** The response that lets a request pass. */
export function passResponse(plan: ForwardPlan): CheckResponse {
  const originFields: string[] = [];
  addOriginFields(originFields, plan);
  const headers = headerOptions(originFields, () => true);
  const names = new Set(headers.map(({ header }) => header.key));
  const replacedNames = plan.additions?.replacedNames;
  return {
    status: { code: 0 },
    okResponse: {
      headers,
      headersToRemove: GUARD_FIELDS.filter((name) => !names.has(name)),
      responseHeadersToAdd: headerOptions(
        fieldsForVisitor(plan),
        (name) => replacedNames?.has(name) === true,
      ),
    },
  };
}

/** The response with the answer for the visitor. Envoy denies the request with any status, also with 2xx and 5xx. */
export function deniedResponse({ status, fields, body }: OwnAnswer): CheckResponse {
  return {
    status: { code: PERMISSION_DENIED },
    deniedResponse: {
      status: { code: status },
      headers: headerOptions(fields, (name) => name !== 'set-cookie'),
      // This field of the message is a text. Envoy treats a response that is not UTF-8 as a failed question.
      body: isUtf8(body) ? body.toString() : 'Request denied.\n',
    },
  };
}

function headerOptions(
  fields: readonly string[],
  overwrites: (name: string) => boolean,
): readonly HeaderOption[] {
  const options: HeaderOption[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const key = (fields[i] ?? '').toLowerCase();
    const appendAction = overwrites(key) ? 'OVERWRITE_IF_EXISTS_OR_ADD' : 'APPEND_IF_EXISTS_OR_ADD';
    options.push({ header: { key, value: fields[i + 1] ?? '' }, appendAction });
  }
  return options;
}
