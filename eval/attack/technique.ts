import type { Ground, Scheme, Site } from './ground.ts';

/** What one run of a technique may use. Only its own paths begin with `prefix`. */
export interface Field {
  readonly ground: Ground;
  readonly site: Site;
  readonly scheme: Scheme;
  readonly prefix: string;
  /** An address below 127.0.0.0/8 that no other run has; `host` tells several of them apart. */
  address(host: number): string;
  /** Adds the processor time of a program that the technique started, in milliseconds. */
  alsoSpent(ms: number): void;
}

/** How an attacker who has read the code gets pages. */
export interface Technique {
  readonly name: string;
  readonly sites: readonly Site[];
  readonly schemes: readonly Scheme[];
  /** Most attempts that may succeed; undefined where nothing is promised. */
  readonly atMost: number | undefined;
  /** What happened at the site before the attacker came. */
  readonly before?: (field: Field) => Promise<void>;
  /** Says what this machine lacks for it. Such a row is in the table as not run. */
  readonly missing?: () => Promise<string | undefined>;
  /** Makes all attempts, and gives how many they were. What succeeded the site says. */
  readonly run: (field: Field) => Promise<number>;
}
