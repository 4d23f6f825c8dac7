import type { Strength } from '../contract/strengths.ts';

/** What has to be known of one organisation's settings to explain its events. It can be sent as JSON. */
export interface Knowledge {
  /** First host of each site of the organisation. */
  readonly sites: readonly string[];
  readonly rules: readonly RuleFacts[];
  readonly reasons: Readonly<Partial<Record<string, ReasonFacts>>>;
  /** Points from which on a visitor is asked, and rejected. */
  readonly thresholds: { readonly ask: number; readonly reject: number };
}

export interface RuleFacts {
  readonly name: string;
  /** Of guard.yaml, from 1; null for the rule of a preset. */
  readonly line: number | null;
  /** One line: `detect, challenge: auto`. */
  readonly does: string;
  readonly monitor: boolean;
  readonly preset: boolean;
}

export interface ReasonFacts {
  readonly meaning: string;
  readonly category: string;
  /** For this organisation; null for what a rule or a limit decided. */
  readonly strength: Strength | null;
  readonly points: number;
  /** Who else can have it, and what can be done, in plain text; empty where nothing is known. */
  readonly others: string;
  readonly remedy: string;
}
