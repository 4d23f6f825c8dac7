/** The prefix `__Host-` means: only over https and only for this host. Browsers treat a loopback address like https. */
export const SIGN_IN_COOKIE = '__Host-guard-dashboard';
export const OIDC_COOKIE = '__Host-guard-oidc';

const MAX_COOKIE_CHARS = 8_192;

/** Returns the value of a cookie of Guard. The value has only letters, digits, `-`, `_` and `.`. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > MAX_COOKIE_CHARS) return undefined;
  for (const pair of header.split(';')) {
    const [pairName, value] = pair.split('=', 2);
    if (pairName?.trim() === name && value !== undefined) return value.trim();
  }
  return undefined;
}

/** Returns a `Set-Cookie` value. With a `maxAgeS` of 0 the browser removes the cookie. */
export function cookie(
  name: string,
  value: string,
  { maxAgeS, sameSite }: { readonly maxAgeS: number; readonly sameSite: 'Strict' | 'Lax' },
): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=${sameSite}`;
}
