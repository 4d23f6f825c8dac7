import { parseIp } from '../net/cidr.ts';

const DOT = 0x2e;
const HYPHEN = 0x2d;

/** Longest host name (RFC 1035 3.1), with room for a port. */
const MAX_HOST_LENGTH = 255 + 6;

/**
 * Compiles the host names of the settings into a look-up by Host header (RFC 9110 7.2). An exact name wins over a
 * wildcard, and a longer wildcard over a shorter one. `*` alone matches all other hosts. `*.shop.example` is every
 * subdomain, but not `shop.example` itself. Case, port and a trailing dot do not matter. IPv6 literals are in brackets
 * and match in any spelling. If two entries name the same host, the first one wins.
 *
 * The result is undefined for a host that no site claims, and for a header that is not a host.
 */
export function compileHosts<T>(
  entries: readonly { readonly hosts: readonly string[]; readonly value: T }[],
): (hostHeader: string) => T | undefined {
  const exact = new Map<string, T>();
  const valuesBySuffix = new Map<string, T>();
  let anyHost: T | undefined;

  for (const { hosts, value } of entries) {
    for (const host of hosts) {
      if (host === '*') {
        anyHost ??= value;
        continue;
      }
      const [table, name] = host.startsWith('*.') ? [valuesBySuffix, host.slice(2)] : [exact, host];
      const key = canonicalHost(name);
      if (key !== undefined && !table.has(key)) table.set(key, value);
    }
  }

  return (hostHeader) => {
    // Most headers are already in canonical form.
    const direct = exact.get(hostHeader);
    if (direct !== undefined) return direct;
    const host = canonicalHost(hostHeader);
    if (host === undefined) return undefined;
    const exactValue = exact.get(host);
    if (exactValue !== undefined) return exactValue;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      const value = valuesBySuffix.get(host.slice(dot + 1));
      if (value !== undefined) return value;
    }
    return anyHost;
  };
}

/**
 * A host in the form that is compared: lower case, without port and trailing dot, an IPv6 literal in its RFC 5952 form.
 * Undefined for a text that is not a host. An empty header (HTTP/1.0) is the empty host.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.length > MAX_HOST_LENGTH) return undefined;
  if (isCanonicalName(text)) return text;
  const literal = /^\[([0-9a-f:.]+)\](?::\d*)?$/i.exec(text);
  if (literal !== null) {
    const address = parseIp(literal[1] ?? '');
    return address === undefined ? undefined : `[${address}]`;
  }
  return /^([a-z0-9_.-]*?)\.?(?::\d*)?$/.exec(text.toLowerCase())?.[1];
}

function isCanonicalName(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isLower = code >= 0x61 && code <= 0x7a;
    const isDigit = code >= 0x30 && code <= 0x39;
    if (!isLower && !isDigit && code !== DOT && code !== HYPHEN) return false;
  }
  return text.charCodeAt(text.length - 1) !== DOT;
}
