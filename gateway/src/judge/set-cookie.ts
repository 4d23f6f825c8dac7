import type { Cookie } from '@guard/config/contract/validate-response';

/**
 * The Set-Cookie value of one cookie of the validator, with every attribute it gave and none of our
 * own (contract 2.3, RFC 6265 section 4.1). An empty `domain` means host-only: no Domain is written.
 * Undefined when a part holds what would end the attribute or the header line.
 */
export function setCookie(cookie: Cookie): string | undefined {
  const { name, value, domain, path, same_site: sameSite } = cookie;
  if (!isToken(name)) return undefined;
  for (const part of [value, domain, path, sameSite]) if (!isAttributeValue(part)) return undefined;

  let line = `${name}=${value}`;
  if (domain !== '') line += `; Domain=${domain}`;
  if (path !== '') line += `; Path=${path}`;
  line += `; Max-Age=${cookie.max_age}`;
  if (cookie.secure) line += '; Secure';
  if (sameSite !== '') line += `; SameSite=${sameSite}`;
  return line;
}

function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

function isAttributeValue(text: string): boolean {
  return /^[\x20-\x3a\x3c-\x7e]*$/.test(text);
}
