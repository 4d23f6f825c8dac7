import type {
  Clock,
  Collect,
  EventSink,
  Log,
  Metrics,
  Validate,
} from '@guard/config/contract/ports';
import type { Site } from '@guard/config/settings/schema';
import type { ListenAddress } from '@guard/config/settings/values';
import type { GatewayLimits } from './limits.ts';

/** One site of guard.yaml with the ports that serve it. */
export interface GatewaySite {
  readonly settings: Site;
  readonly validate: Validate;
  /** Takes what arrives below `/.guard/`; without it those paths answer 404. */
  readonly collect: Collect | undefined;
  readonly validator: 'in-process' | 'remote';
}

export interface GatewayOptions {
  /** CIDRs of the peers whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Ask and record, enforce nothing. */
  readonly observe: boolean;
  readonly sites: readonly GatewaySite[];
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Bounds that differ from limits.ts. */
  readonly limits?: Partial<GatewayLimits>;
}

export interface Gateway {
  /** Resolves to the URL, or `unix:<path>`, that it listens on; rejects when the address cannot be had. */
  listen(address: ListenAddress): Promise<string>;
  /** Takes no more requests, lets those under way finish for at most `drainMs`, then cuts. */
  close(): Promise<void>;
}
