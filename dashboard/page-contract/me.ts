import type { Knowledge } from '@guard/config/plain-words/facts';

/** The answer of `GET /api/me`: the viewer, and the settings that the page needs to explain events. */
export interface Me extends Knowledge {
  readonly organisation: string;
  /** The identifier of the key with which the viewer signed in. Null for a sign-in without a key. */
  readonly key: string | null;
  readonly via: 'key' | 'link' | 'proxy' | 'oidc';
  /** The end of the sign-in, in ISO 8601. Null when a proxy names the viewer in each request. */
  readonly expiresAt: string | null;
  readonly revision: string;
  readonly version: string;
  /** The URL of the documentation. Null when Guard does not serve the documentation. */
  readonly docs: string | null;
}
