import type { Log, Metrics } from '@guard/config/contract/ports';
import type { Visit } from '../arrive/arrive.ts';
import type { GatewayLimits } from '../base/limits.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';

/** What forwarding needs, both for requests and for WebSocket handshakes. */
export interface ForwardPorts {
  readonly metrics: Metrics;
  readonly log: Log;
  readonly limits: GatewayLimits;
}

/** Sends an admitted request to its origin: forward.ts, or upgrade.ts for a WebSocket handshake. */
export type Forward = (visit: Visit, plan: ForwardPlan) => void;

/** Does the same as Forward, and calls `onEnd` once, when the request has ended for its visitor. */
export type ReportingForward = (visit: Visit, plan: ForwardPlan, onEnd: () => void) => void;

/** Handles one request from start to end. Calls `forward` when the request is admitted. Never throws. */
export type Handle = (req: VisitorRequest, res: VisitorResponse, forward: Forward) => void;
