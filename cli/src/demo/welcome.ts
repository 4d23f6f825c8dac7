import { isLoopbackHost, listenerUrl } from '@guard/config/net/special-address';
import type { Service } from '@guard/config/settings/schema';
import type { DemoKeys } from './keys.ts';

/** Facts that are known when all services listen. */
export interface Started {
  readonly addresses: Readonly<Partial<Record<Service, string>>>;
  /** The link that signs in to the dashboard. */
  readonly dashboard: string;
  /** Why events are not stored. Undefined when they are. */
  readonly notRecorded: string | undefined;
}

interface Shown extends Started {
  /** The address of --host, at which other machines can reach the gateway. */
  readonly host: string | undefined;
  readonly keys: DemoKeys;
  readonly file: string;
  readonly shop: string;
}

/** The text when the demo is ready: addresses, keys, and three things to try. */
export function welcome(shown: Shown): string {
  const { addresses, keys, file, shop, dashboard, notRecorded } = shown;
  const at = (service: Service) => onThisMachine(addresses[service]) ?? '(not started)';
  return `Guard is ready. A small shop stands behind it.${
    shown.host === undefined || isLoopbackHost(shown.host)
      ? ''
      : `\nOther machines reach the shop too, and nothing else of Guard: the gateway listens on ${shown.host}.`
  }

  look at its traffic   ${dashboard}
                        (this link signs in once, within ten minutes; later, sign in with the analytics key)

  the shop, protected   ${at('gateway')}
  the shop itself       ${shop}
  validator             ${at('validator')}/validate
  SQL and MCP           ${at('api')}/query  ${at('api')}/mcp
  collector             ${at('collector')}
  documentation         ${at('docs')}  ${at('docs')}/mcp
  metrics               ${at('admin')}/metrics

  secret key     ${keys.DEMO_SECRET_KEY}
  analytics key  ${keys.DEMO_ANALYTICS_KEY}
  both are kept in ${file}

Try it, in another terminal:

  1  A script is stopped: 403, and a page that only a browser can get past.
     curl -i ${at('gateway')}/

  2  A person's browser gets through, with one reload. Open
     ${at('gateway')}/

  3  ${
    notRecorded ??
    `The dashboard shows both. So does SQL.
     curl ${at('api')}/query -H 'Authorization: Bearer ${keys.DEMO_ANALYTICS_KEY}' --data-binary \\
       "SELECT created_at, action, decision, block_reasons, user_agent FROM events_distributed ORDER BY created_at DESC LIMIT 10 FORMAT PrettyCompact"`
  }

Ctrl-C ends it.`;
}

/** Browsers cannot open the wildcard address, so it becomes the loopback address. */
function onThisMachine(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const { hostname, port } = new URL(address);
  return listenerUrl(hostname.replace(/^\[(.*)\]$/, '$1'), Number(port));
}
