import { isUtf8 } from 'node:buffer';
import { fieldsForVisitor } from '../forward-auth/answer.ts';
import { addOriginFields } from '../forward/proxy-headers.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { OwnAnswer } from '../message/own-answer.ts';
import { type CheckResponse, type HeaderOption, PERMISSION_DENIED } from './messages.ts';

/** Fields that only Guard may send to the origin. When Guard does not send one, Envoy removes it from the request. */
const ONLY_GUARD_SAYS = [
  'x-guard-decision',
  'x-guard-request-id',
  'x-guard-session',
  'x-guard-crawler',
  'x-guard-answer',
] as const;

/** The response that lets a request pass. */
export function passResponse(plan: ForwardPlan): CheckResponse {
  const said: string[] = [];
  addOriginFields(said, plan);
  const headers = optionsOf(said, () => true);
  const names = new Set(headers.map(({ header }) => header.key));
  const replaced = plan.additions?.replaced;
  return {
    status: { code: 0 },
    okResponse: {
      headers,
      headersToRemove: ONLY_GUARD_SAYS.filter((name) => !names.has(name)),
      responseHeadersToAdd: optionsOf(
        fieldsForVisitor(plan),
        (name) => replaced?.has(name) === true,
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
      headers: optionsOf(fields, (name) => name !== 'set-cookie'),
      // This field of the message is a text. Envoy treats a response that is not UTF-8 as a failed question.
      body: isUtf8(body) ? body.toString() : 'Request denied.\n',
    },
  };
}

function optionsOf(
  fields: readonly string[],
  replaces: (name: string) => boolean,
): readonly HeaderOption[] {
  const options: HeaderOption[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const key = (fields[i] ?? '').toLowerCase();
    const appendAction = replaces(key) ? 'OVERWRITE_IF_EXISTS_OR_ADD' : 'APPEND_IF_EXISTS_OR_ADD';
    options.push({ header: { key, value: fields[i + 1] ?? '' }, appendAction });
  }
  return options;
}
