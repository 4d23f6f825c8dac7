import type { Visit } from '../arrive/arrive.ts';
import type { ForwardPorts } from './forward-ports.ts';
import { type ForwardPlan, planAnswer } from '../judge/request-plan.ts';
import { inGzip, plainAnswer, serve } from '../message/own-answer.ts';

/**
 * Asks the validator whether the visitor may get this answer of the origin (HoldBack). If not, it sends the validator's
 * answer instead, and returns true. Then the caller must end the request to the origin. `fields` are names and values in
 * turn.
 */
export function serveHeldBack(
  { limits }: Pick<ForwardPorts, 'limits'>,
  { req, res }: Visit,
  { event }: ForwardPlan,
  status: number,
  fields: readonly string[],
): boolean {
  // An answer to HEAD has no body.
  const held = req.method === 'HEAD' ? undefined : event?.askHoldBack(status, fields);
  if (held === undefined) return false;
  const plan = planAnswer(held.response, held);
  const answer = plan.kind === 'serve' ? plan.answer : plainAnswer(403, 'Request denied.');
  serve(req, res, inGzip(answer), limits.lingerMs);
  return true;
}
