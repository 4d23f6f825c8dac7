import { createContext } from 'preact';

/** What GET /api/me says of a viewer who is signed in. */
export interface Me {
  readonly organisation: string;
  readonly key: string | null;
  readonly via: 'key' | 'link' | 'proxy' | 'oidc';
  readonly expiresAt: string | null;
  readonly sites: readonly string[];
  readonly revision: string;
  readonly version: string;
  readonly rules: readonly Rule[];
  readonly rulesLine: number | null;
  readonly reasons: Readonly<Partial<Record<string, Reason>>>;
  readonly thresholds: { readonly ask: number; readonly reject: number };
  readonly docs: string | null;
}

export interface Rule {
  readonly name: string;
  /** Its line in guard.yaml. */
  readonly line: number | null;
  readonly does: string;
  readonly monitor: boolean;
  readonly preset: boolean;
}

export interface Reason {
  readonly meaning: string;
  readonly category: string;
  /** For what is found; null for what a rule or a limit decided. */
  readonly strength: 'off' | 'note' | 'weak' | 'strong' | 'conclusive' | null;
  readonly points: number;
  /** Who else can have it, and what can be done; empty where nothing is known. */
  readonly others: string;
  readonly remedy: string;
}

interface SignedInState {
  readonly me: Me;
  /** Shows the sign-in form again. */
  readonly signedOut: () => void;
}

export const SignedIn = createContext<SignedInState>({
  me: {
    organisation: '',
    key: null,
    via: 'key',
    expiresAt: null,
    sites: [],
    revision: '',
    version: '',
    rules: [],
    rulesLine: null,
    reasons: {},
    thresholds: { ask: 2, reject: 6 },
    docs: null,
  },
  signedOut: () => undefined,
});
