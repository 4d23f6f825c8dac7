import type { Visit } from '../arrive/arrive.ts';
import type { ReportingForward, Forward, ForwardPorts } from './forward-ports.ts';
import { BUSY } from './origin-failure.ts';
import { failureAnswer } from '../judge/failure-answer.ts';
import { AddressCounts } from '../listen/accept.ts';
import { serve } from '../message/own-answer.ts';

/**
 * Limits how many requests of one address are forwarded at the same time. An origin accepts a limited number of
 * requests. One visitor could use the whole number: with answers that never end, with answers that the visitor does not
 * read, or with request bodies that never end. listen/accept.ts explains how addresses share the last free slots of
 * an origin.
 */
export function boundByAddress(
  { limits, metrics }: ForwardPorts,
  forward: ReportingForward,
): Forward {
  const requests = new AddressCounts(limits.originRequestsPerAddress);
  const uploads = new AddressCounts(limits.originUploadsPerAddress);
  let uncountedRequests = 0;
  const endUncounted = () => {
    uncountedRequests -= 1;
  };
  return (visit, plan) => {
    // On most sites few requests are under way. A count for each address would then cost more time than it is worth.
    if (!visit.hasBody && uncountedRequests < limits.originRequestsUncounted) {
      uncountedRequests += 1;
      forward(visit, plan, endUncounted);
      return;
    }
    const capacity = visit.site.origins.capacityOf(visit.hasBody ? 'upload' : 'plain');
    const release = requests.hold(visit.client.ip, capacity);
    const endUpload = release && holdUpload(visit, uploads);
    if (release && endUpload) {
      forward(visit, plan, () => {
        release();
        endUpload();
      });
      return;
    }
    release?.();
    const { answer, reference } = failureAnswer(visit, BUSY.status);
    plan.event?.record(BUSY.status, reference);
    metrics.count('guard_gateway_requests_total', 'refused');
    serve(visit.req, visit.res, answer, limits.lingerMs);
  };
}

const doNothing = () => undefined;

/**
 * Counts a request body until it is complete or the returned function is called. Undefined when the address has too
 * many incomplete bodies.
 */
function holdUpload(
  { req, hasBody, client }: Visit,
  uploads: AddressCounts,
): (() => void) | undefined {
  if (!hasBody || req.complete) return doNothing;
  const release = uploads.hold(client.ip);
  if (release !== undefined) req.once('end', release);
  return release;
}
