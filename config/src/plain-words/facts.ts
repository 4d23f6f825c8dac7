import type { Strength } from '../contract/strengths.ts';

/** The facts of an organisation's settings that explain its events. They can be sent as JSON. */
export interface Knowledge {
  /** The first host of each site of the organisation. */
  readonly sites: readonly string[];
  readonly rules: readonly RuleFacts[];
  readonly reasons: Readonly<Partial<Record<string, ReasonFacts>>>;
  /** From `ask` points on, a visitor is challenged. From `reject` points on, a visitor is rejected. */
  readonly thresholds: { readonly ask: number; readonly reject: number };
}

export interface RuleFacts {
  readonly name: string;
  /** The line of the rule in guard.yaml, counted from 1. Null for the rule of a preset. */
  readonly line: number | null;
  /** The directives of the rule in one line, such as `detect, challenge: auto`. */
  readonly does: string;
  readonly monitor: boolean;
  readonly preset: boolean;
}

export interface ReasonFacts {
  readonly meaning: string;
  readonly category: string;
  /** The strength for this organisation. Null when a rule or a limit decided. */
  readonly strength: Strength | null;
  readonly points: number;
  /**
   * The people who can have this finding by accident, and the remedy, in plain text. Empty when no such people are
   * known.
   */
  readonly others: string;
  readonly remedy: string;
}
