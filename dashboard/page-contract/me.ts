import type { Knowledge } from '@guard/config/plain-words/facts';

/** The answer of `GET /api/me`: the viewer, and the settings that the page needs to explain events. */
export interface Me extends Knowledge {
  readonly organisation: string;
  /** Identifier of the key with which the viewer signed in. Null for a sign-in without a key. */
  readonly key: string | null;
  readonly via: 'key' | 'link' | 'proxy' | 'oidc';
  /** ISO 8601. Null when a proxy names the viewer in each request. */
  readonly expiresAt: string | null;
  readonly revision: string;
  readonly version: string;
  /** URL of the documentation. Null when it is not served. */
  readonly docs: string | null;
}
