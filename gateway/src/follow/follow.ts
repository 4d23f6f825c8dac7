import type { TracedRequest, Tracing } from '@guard/config/contract/tracing';
import type { VisitorSocket } from '../message/message.ts';
import { pathOf, type Visit } from '../arrive/visit.ts';
import type { Forward } from '../forward/forward-ports.ts';
import { FollowedRequest } from './followed-request.ts';
import { FollowedResponse } from './followed-response.ts';
import { followOrigins } from './followed-origins.ts';
import { asksForTimes, StageTimes } from './stage-times.ts';

interface Followed {
  readonly visit: Visit;
  readonly forward: Forward;
}

/** Requests that are followed and not over, by their connection, or stream of HTTP/2. */
const underway = new WeakMap<VisitorSocket, Set<FollowedRequest>>();

/**
 * Follows a visit for its trace, and for the Server-Timing of its answer: the same visit in a form that
 * tells what becomes of it. No stage of the gateway knows of it. A visit that
 * needs neither passes the gateway unchanged.
 */
export function follow(visit: Visit, forward: Forward, tracing: Tracing | undefined): Followed {
  const trace = tracing?.(describe(visit));
  const times = asksForTimes(visit) ? new StageTimes() : undefined;
  const requests = requestsOn(visit.req.socket);
  const request = new FollowedRequest(trace, times, (over) => requests.delete(over));
  requests.add(request);
  const { site } = visit;
  return {
    visit: {
      ...visit,
      res: new FollowedResponse(visit.res, request),
      site: trace ? { ...site, origins: followOrigins(site.origins, trace) } : site,
    },
    forward: (admitted, plan) => {
      times?.forwarded();
      request.decided(plan.decision, plan.requestId);
      forward(admitted, plan);
    },
  };
}

function describe({ req, connection, client, site, host, target }: Visit): TracedRequest {
  return {
    method: req.method ?? '',
    path: pathOf(target),
    scheme: client.scheme,
    host,
    httpVersion: req.httpVersion,
    site: site.name,
    headers: req.headers,
    trusted: connection.trusted,
  };
}

/** A visitor who goes early ends what he has under way. One listener a connection, however many requests come on it. */
function requestsOn(socket: VisitorSocket): Set<FollowedRequest> {
  const known = underway.get(socket);
  if (known !== undefined) return known;
  const requests = new Set<FollowedRequest>();
  underway.set(socket, requests);
  socket.once('close', () => {
    for (const one of requests) one.ended();
  });
  return requests;
}
