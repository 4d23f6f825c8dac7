import type { OidcSettings } from '@guard/config/settings/sections/dashboard';
import type * as OpenidClient from 'openid-client';
import { type Membership, membershipOf } from './viewer.ts';

/** Time limit for one answer of the provider, in seconds. */
const TIMEOUT_S = 5;

/** What a begun sign-in needs: the URL, and three values that the browser keeps meanwhile, joined by dots. */
interface Begun {
  /** The URL for the browser. */
  readonly url: URL;
  readonly kept: string;
}

/** Sign-in with an identity provider: OpenID Connect, authorization code with PKCE (RFC 7636). */
export interface Oidc {
  /** Rejects when the provider does not answer or its answer is invalid. */
  begin(): Promise<Begun>;
  /**
   * The membership of the user who came back with `query`. Undefined when no group is mapped. `kept` is the value of
   * begin(). Rejects when the answer does not match this browser's request, or the provider refused.
   */
  finish(query: string, kept: string): Promise<Membership | undefined>;
}

type Client = typeof OpenidClient;

/** Loaded at the first sign-in, because a dashboard without a provider needs less memory. */
const loadClient = (): Promise<Client> => import('openid-client');

/** `callback` returns the URL of the dashboard's `/oidc/callback`, which is known after the dashboard listens. */
export function createOidc(settings: OidcSettings, callback: () => string): Oidc {
  const { issuer, client_id, client_secret, claim, groups } = settings;
  const scope = [...new Set(['openid', ...settings.scope.split(/\s+/)])].join(' ').trim();
  let discovered: Promise<OpenidClient.Configuration> | undefined;

  /** Requested at the first sign-in, so that Guard can start without the provider. A failure is not cached. */
  function provider(client: Client): Promise<OpenidClient.Configuration> {
    const url = new URL(issuer);
    // For an http URL in the settings a provider without TLS is intended, for example on this machine. The function is
    // marked as deprecated only as a warning.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    const options = { execute, timeout: TIMEOUT_S };
    discovered ??= client.discovery(url, client_id, client_secret, undefined, options);
    discovered.catch(() => (discovered = undefined));
    return discovered;
  }

  return {
    async begin() {
      const client = await loadClient();
      const configuration = await provider(client);
      const verifier = client.randomPKCECodeVerifier();
      const state = client.randomState();
      const nonce = client.randomNonce();
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callback(),
        scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url, kept: [state, nonce, verifier].join('.') };
    },
    async finish(query, kept) {
      const [expectedState = '', expectedNonce = '', pkceCodeVerifier = ''] = kept.split('.');
      if (expectedState === '') throw new Error('this browser has not begun a sign-in');
      const client = await loadClient();
      const tokens = await client.authorizationCodeGrant(
        await provider(client),
        new URL(`${callback()}?${query}`),
        { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true },
      );
      return membershipOf(tokens.claims()?.[claim], groups);
    },
  };
}
