import type { Visit } from '../arrive/arrive.ts';
import type { Forward, ForwardPorts } from './forward-ports.ts';
import { BUSY } from './origin-failure.ts';
import { failureAnswer } from '../judge/failure-answer.ts';
import { HeldByAddress } from '../listen/accept.ts';
import { serve } from '../message/own-answer.ts';

/**
 * Forwards only some uploads of one address whose body has not come yet. An origin takes a limited number, and one
 * visitor could hold all of them with a byte now and then.
 */
export function boundUploads({ limits, metrics }: ForwardPorts, forward: Forward): Forward {
  const uploads = new HeldByAddress(limits.originUploadsPerAddress);
  return (visit, plan) => {
    if (hold(visit, uploads)) {
      forward(visit, plan);
      return;
    }
    const { answer, reference } = failureAnswer(visit, BUSY.status);
    plan.event?.record(BUSY.status, reference);
    metrics.count('guard_gateway_requests_total', 'refused');
    serve(visit.req, visit.res, answer, limits.lingerMs);
  };
}

/** Counts an upload until its body has come, or its visitor has gone. False when it is one too many. */
function hold({ req, hasBody, client }: Visit, uploads: HeldByAddress): boolean {
  if (!hasBody || req.complete) return true;
  const release = uploads.hold(client.ip);
  if (release === undefined) return false;
  let isHeld = true;
  const end = () => {
    if (isHeld) release();
    isHeld = false;
  };
  req.once('end', end);
  req.once('close', end);
  return true;
}
