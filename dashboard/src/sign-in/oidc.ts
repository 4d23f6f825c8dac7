import type { OidcSettings } from '@guard/config/settings/sections/dashboard';
import type * as OpenidClient from 'openid-client';
import { type Membership, membershipOf } from './viewer.ts';

/** Time limit for one answer of the provider, in seconds. */
const TIMEOUT_S = 5;

/** A sign-in that has begun. `cookieValue` has three values that the browser keeps until the end, joined by dots. */
interface StartedSignIn {
  readonly url: URL;
  readonly cookieValue: string;
}

/** The sign-in with an identity provider, by OpenID Connect: authorization code with PKCE (RFC 7636). */
export interface Oidc {
  /** Rejects when the provider does not answer or its answer is invalid. */
  begin(): Promise<StartedSignIn>;
  /**
   * Resolves with the membership of the user who came back with `query`. Undefined when no group of the user is mapped.
   * `cookieValue` comes from begin(). Rejects when the answer does not match this browser's request, or when the
   * provider refused the sign-in.
   */
  finish(query: string, cookieValue: string): Promise<Membership | undefined>;
}

type Client = typeof OpenidClient;

/** Loads the client at the first sign-in, because a dashboard without a provider needs less memory. */
const loadClient = (): Promise<Client> => import('openid-client');

/** `callback` returns the URL of the dashboard's `/oidc/callback`, which is known after the dashboard listens. */
export function createOidc(settings: OidcSettings, callback: () => string): Oidc {
  const { issuer, client_id, client_secret, claim, groups } = settings;
  const scope = [...new Set(['openid', ...settings.scope.split(/\s+/)])].join(' ').trim();
  let discovery: Promise<OpenidClient.Configuration> | undefined;

  /** Asks the provider at the first sign-in, so that Guard can start without the provider. A failure is not cached. */
  function findProvider(client: Client): Promise<OpenidClient.Configuration> {
    const url = new URL(issuer);
    // An http URL in the settings means that a provider without TLS is intended, for example on this machine. The
    // library marks the function as deprecated only to warn its users.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    const options = { execute, timeout: TIMEOUT_S };
    discovery ??= client.discovery(url, client_id, client_secret, undefined, options);
    discovery.catch(() => (discovery = undefined));
    return discovery;
  }

  return {
    async begin() {
      const client = await loadClient();
      const configuration = await findProvider(client);
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
      return { url, cookieValue: [state, nonce, verifier].join('.') };
    },
    async finish(query, cookieValue) {
      const [expectedState = '', expectedNonce = '', pkceCodeVerifier = ''] =
        cookieValue.split('.');
      if (expectedState === '') throw new Error('this browser has not begun a sign-in');
      const client = await loadClient();
      const tokens = await client.authorizationCodeGrant(
        await findProvider(client),
        new URL(`${callback()}?${query}`),
        { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true },
      );
      return membershipOf(tokens.claims()?.[claim], groups);
    },
  };
}
