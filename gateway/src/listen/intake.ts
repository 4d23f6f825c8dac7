import type { Upgrades } from '../forward/upgrade.ts';
import type { Handle } from '../handle.ts';
import type { GatewayLimits } from '../base/limits.ts';
import type { Door } from './door.ts';
import type { Onward } from '../arrive/visit.ts';

/** Where requests go that a server has taken. */
export interface Intake {
  readonly handle: Handle;
  readonly forward: Onward;
  readonly upgrades: Upgrades;
  readonly limits: GatewayLimits;
  readonly door: Door;
  /** While true, answers ask visitors to open another connection next time. */
  readonly isClosing: () => boolean;
}
