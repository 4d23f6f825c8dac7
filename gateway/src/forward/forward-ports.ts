import type { Log, Metrics } from '@guard/config/contract/ports';
import type { GatewayLimits } from '../base/limits.ts';

/** What the way to an origin needs, for a request as for a WebSocket handshake. */
export interface ForwardPorts {
  readonly metrics: Metrics;
  readonly log: Log;
  readonly limits: GatewayLimits;
}
