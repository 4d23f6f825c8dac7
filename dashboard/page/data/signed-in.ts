import { createContext } from 'preact';
import type { Me } from '../../page-contract/me.ts';

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
    reasons: {},
    thresholds: { ask: 2, reject: 6 },
    docs: null,
  },
  signedOut: () => undefined,
});
