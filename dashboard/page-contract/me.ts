import type { Knowledge } from '@guard/config/plain-words/facts';

/** What `GET /api/me` answers: who is signed in, and what the page has to know of the settings to explain events. */
export interface Me extends Knowledge {
  readonly organisation: string;
  /** Identifier of the key that signed in; null where none did. */
  readonly key: string | null;
  readonly via: 'key' | 'link' | 'proxy' | 'oidc';
  /** ISO 8601; null where a proxy names the viewer in each request. */
  readonly expiresAt: string | null;
  readonly revision: string;
  readonly version: string;
  /** URL of the documentation, where it is served. */
  readonly docs: string | null;
}
