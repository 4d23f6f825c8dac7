import type { Me } from '../../page-contract/me.ts';

type SignInState =
  | { readonly state: 'signed-in'; readonly me: Me }
  | { readonly state: 'signed-out'; readonly oidc: boolean }
  | { readonly state: 'failed' };

/** Asks Guard who is signed in. Never rejects. */
export async function whoAmI(): Promise<SignInState> {
  try {
    const response = await fetch('/api/me');
    if (!response.ok) return { state: 'failed' };
    const { me, oidc } = (await response.json()) as { me: Me | null; oidc: boolean };
    return me === null ? { state: 'signed-out', oidc } : { state: 'signed-in', me };
  } catch {
    return { state: 'failed' };
  }
}
