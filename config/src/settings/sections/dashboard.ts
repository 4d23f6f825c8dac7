import { z } from 'zod';
import { Credential, HeaderName, HostPattern, HttpUrl } from '../values/values.ts';

/** `dashboard`: the host names of `listen.dashboard`, and the people who may sign in without an analytics key. */

const Name = z.string().min(1).max(200);

/** Maps the name of a group, as the proxy or the provider spells it, to the id of an organisation. */
const Groups = z
  .record(Name, Name)
  .refine((groups) => Object.keys(groups).length > 0, 'expected a group and an organisation');

const ProxyHeader = z.strictObject({
  /** The header in which an authenticating proxy of `trusted_proxies` names the groups of its user. */
  name: HeaderName,
  groups: Groups,
});

const Oidc = z.strictObject({
  issuer: HttpUrl,
  client_id: Name,
  client_secret: Credential.min(1).max(1000),
  /** The claim of the ID token that lists the groups of the user. */
  claim: Name.default('groups'),
  /** The requested scope. `openid` is always included. */
  scope: z.string().max(500).default('openid'),
  groups: Groups,
});
export type OidcSettings = Readonly<z.infer<typeof Oidc>>;

export const Dashboard = z.strictObject({
  hosts: z.array(HostPattern).max(100).default([]),
  proxy_header: ProxyHeader.optional(),
  oidc: Oidc.optional(),
});
