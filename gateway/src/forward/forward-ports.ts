import type { Log, Metrics } from '@guard/config/contract/ports';
import type { Passage } from '../judge/request-plan.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';
import type { Visit } from '../arrive/visit.ts';
import type { GatewayLimits } from '../base/limits.ts';

/** What the way to an origin needs, for a request as for a WebSocket handshake. */
export interface ForwardPorts {
  readonly metrics: Metrics;
  readonly log: Log;
  readonly limits: GatewayLimits;
}

/** Takes an admitted request on: forward.ts, or upgrade.ts. */
export type Onward = (visit: Visit, passage: Passage) => void;

/** Takes one request from start to end; what is admitted goes `onward`. Never throws. */
export type Handle = (req: VisitorRequest, res: VisitorResponse, onward: Onward) => void;
