import type { AuthenticateBearer } from '@guard/config/contract/ports';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import type { Settings } from '@guard/config/settings/schema';
import type { FastifyRequest } from 'fastify';
import { readCookie, SIGN_IN_COOKIE } from './cookies.ts';
import type { SignIns } from './sign-ins.ts';

export interface Viewer {
  readonly organisation: string;
  /** The key for queries. Undefined for a viewer without a key. */
  readonly authorization?: string | undefined;
  readonly via: 'key' | 'link' | 'proxy' | 'oidc';
  /** The identifier of the key with which the viewer signed in. */
  readonly key?: string;
  /**
   * The end of the sign-in, in milliseconds since the epoch. Undefined when a proxy names the viewer in each request.
   */
  readonly expiresAt?: number;
}

export type FindViewer = (request: FastifyRequest) => Viewer | undefined;

/** Finds the viewer of a request: by the header of an authenticating proxy, else by the cookie of a sign-in. */
export function createFindViewer(options: {
  readonly settings: Pick<Settings, 'organisations' | 'trusted_proxies' | 'dashboard'>;
  readonly authenticate: AuthenticateBearer;
  readonly signIns: SignIns;
}): FindViewer {
  const { settings, authenticate, signIns } = options;
  const organisations = new Set(settings.organisations.map(({ id }) => id));
  const trustedProxies = PrefixSet.from(settings.trusted_proxies);
  const isTrusted = (address = ''): boolean => {
    const ip = parseIp(address);
    return ip !== undefined && trustedProxies.has(ip);
  };
  const { proxy_header: proxyHeader, oidc } = settings.dashboard;
  const organisationOfGroup = (group: string) =>
    membershipOf([group], oidc?.groups ?? {})?.organisation;

  return (request) => {
    if (proxyHeader !== undefined && isTrusted(request.raw.socket.remoteAddress)) {
      const membership = membershipOf(request.raw.headers[proxyHeader.name], proxyHeader.groups);
      if (membership !== undefined) return { organisation: membership.organisation, via: 'proxy' };
    }
    const token = readCookie(request.raw.headers.cookie, SIGN_IN_COOKIE);
    const signIn = token === undefined ? undefined : signIns.find(token);
    if (signIn === undefined) return undefined;
    const { signedIn, expiresAt } = signIn;
    const { organisation, via } = signedIn;
    if (!organisations.has(organisation)) return undefined;
    if (signedIn.via === 'oidc' && organisationOfGroup(signedIn.group) !== organisation)
      return undefined;
    if (signedIn.via !== 'key') return { organisation, via, expiresAt };
    const { authorization } = signedIn;
    const holder = authenticate(authorization);
    if (holder?.organisation !== organisation) return undefined;
    return { organisation, via, expiresAt, authorization, key: holder.key };
  };
}

export interface Membership {
  readonly group: string;
  readonly organisation: string;
}

/**
 * Maps the groups in a header or a claim to an organisation. Undefined when the settings map none of them. Of several
 * mapped groups, the first one in the settings decides. A text can contain several groups. In a list, each text is one
 * group: otherwise a user who may choose the name of a group could add other groups with a comma.
 */
export function membershipOf(
  groups: unknown,
  organisations: Readonly<Record<string, string>>,
): Membership | undefined {
  const isText = typeof groups === 'string';
  const names = isText ? groups.split(/[,;|]/).map((name) => name.trim()) : [groups].flat();
  const userGroups = new Set<unknown>(names);
  const mappedGroup = Object.entries(organisations).find(([group]) => userGroups.has(group));
  return mappedGroup && { group: mappedGroup[0], organisation: mappedGroup[1] };
}
