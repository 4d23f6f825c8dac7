import type { Testbed, Scheme, Site } from './testbed.ts';

/** One run of a technique on one site over one scheme. The paths of the counted requests begin with `prefix`. */
export interface Attack {
  readonly testbed: Testbed;
  readonly site: Site;
  readonly scheme: Scheme;
  readonly prefix: string;
  /** Returns one of 250 addresses of a /24 below 127.0.0.0/8. */
  address(host: number): string;
  /** Adds the processor time of a program that the technique started, in milliseconds. */
  addCpuTime(ms: number): void;
}

/** A way in which an attacker who has read the code requests pages. */
export interface Technique {
  readonly name: string;
  readonly sites: readonly Site[];
  readonly schemes: readonly Scheme[];
  /** Maximum number of attempts that may succeed. Undefined when Guard promises no limit. */
  readonly atMost: number | undefined;
  /** Prepares the site before the attacker comes. */
  readonly before?: (attack: Attack) => Promise<void>;
  /** Returns the name of a package that this machine lacks. Then the row is in the table as not run. */
  readonly findMissing?: () => Promise<string | undefined>;
  /** Makes all attempts, and returns their number. The site counts the successful ones. */
  readonly run: (attack: Attack) => Promise<number>;
}
