import type { DeskSettings } from '../../test/kit/browsers/desk-browsers.ts';
import type { ExtensionName } from './extensions.ts';

/** The actions of a person. By default the browser is started with the URL of one page as its argument. */
export type Activity = 'address typed' | 'four tabs' | 'cookies cleared' | 'back, forward, reload';

/** An unusual setting or behaviour of people. */
export interface Scenario {
  readonly name: string;
  readonly engine: 'chromium' | 'firefox';
  readonly browserSettings?: DeskSettings;
  /** An extension of this eval that resembles real extensions. Only for Chromium. */
  readonly extension?: ExtensionName;
  /** The connection to Guard: with delayed answers, or with every third connection cut. */
  readonly line?: 'slow' | 'lossy';
  /** Makes the command-line argument of the browser from a URL. The default is the URL itself. */
  readonly argumentFor?: (url: string) => string;
  readonly activity?: Activity | undefined;
}

/** A scenario before its browser is known. */
export type UnboundScenario = Omit<Scenario, 'engine'>;

/** Settings that do not depend on the browser. */
export const COMMON_SCENARIOS: readonly UnboundScenario[] = [
  { name: 'slow line', line: 'slow' },
  { name: 'lossy line', line: 'lossy' },
  { name: 'four tabs at once', activity: 'four tabs' },
  { name: 'cookies cleared', activity: 'cookies cleared' },
  { name: 'back, forward, reload', activity: 'back, forward, reload' },
];

export function scenariosOf(
  engine: Scenario['engine'],
  scenarios: readonly UnboundScenario[],
): Scenario[] {
  return scenarios.map((scenario) => ({ ...scenario, engine }));
}
