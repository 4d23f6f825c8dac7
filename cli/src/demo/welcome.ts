import { isLoopbackHost, listenerUrl } from '@guard/config/net/special-address';
import type { Service } from '@guard/config/settings/schema';
import type { DemoKeys } from './keys.ts';

export interface StartFacts {
  readonly addresses: Readonly<Partial<Record<Service, string>>>;
  readonly dashboard: string;
  /** Why events are not stored. Undefined when they are stored. */
  readonly notRecorded: string | undefined;
}

interface WelcomeFacts extends StartFacts {
  /** The address of --host, at which other machines can reach the gateway. */
  readonly host: string | undefined;
  readonly keys: DemoKeys;
  readonly file: string;
  readonly shop: string;
}

export function welcomeText(facts: WelcomeFacts): string {
  const { addresses, keys, file, shop, dashboard, notRecorded } = facts;
  const urlOf = (service: Service) => localUrl(addresses[service]) ?? '(not started)';
  return `Guard is ready. A small shop stands behind it.${
    facts.host === undefined || isLoopbackHost(facts.host)
      ? ''
      : `\nOther machines reach the shop too, and nothing else of Guard: the gateway listens on ${facts.host}.`
  }

  look at its traffic   ${dashboard}
                        (this link signs in once, within ten minutes; later, sign in with the analytics key)

  the shop, protected   ${urlOf('gateway')}
  the shop itself       ${shop}
  validator             ${urlOf('validator')}/validate
  SQL and MCP           ${urlOf('api')}/query  ${urlOf('api')}/mcp
  collector             ${urlOf('collector')}
  documentation         ${urlOf('docs')}  ${urlOf('docs')}/mcp
  metrics               ${urlOf('admin')}/metrics

  secret key     ${keys.DEMO_SECRET_KEY}
  analytics key  ${keys.DEMO_ANALYTICS_KEY}
  both are kept in ${file}

Try it, in another terminal:

  1  A script is stopped: 403, and a page that only a browser can pass.
     curl -i ${urlOf('gateway')}/

  2  A person's browser gets through, with one reload. Open
     ${urlOf('gateway')}/

  3  ${
    notRecorded ??
    `The dashboard shows both. So does SQL.
     curl ${urlOf('api')}/query -H 'Authorization: Bearer ${keys.DEMO_ANALYTICS_KEY}' --data-binary \\
       "SELECT created_at, action, decision, block_reasons, user_agent FROM events_distributed ORDER BY created_at DESC LIMIT 10 FORMAT PrettyCompact"`
  }

Ctrl-C ends it.`;
}

/** Browsers cannot open the wildcard address, so the URL has the loopback address in its place. */
function localUrl(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const { hostname, port } = new URL(address);
  return listenerUrl(hostname.replace(/^\[(.*)\]$/, '$1'), Number(port));
}
