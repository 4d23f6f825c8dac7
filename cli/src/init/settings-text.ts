import type { Answers } from './answers.ts';

/** Where the written settings listen. */
export const GATEWAY_PORT = 8080;

/** The text of a settings file with comments. Answers were checked before, and each is written as a quoted text. */
export function settingsText({ site, origin, front, events, mode }: Answers): string {
  const host = front.length > 0 && front.every(isLoopback) ? '127.0.0.1' : '0.0.0.0';
  return `# Guard in front of ${site.join(', ')}. Every setting: the page guard.yaml of the documentation.
# A running Guard takes a change up by itself. guard check says what is wrong with this file.
version: 1

listen:
  gateway: ${host}:${GATEWAY_PORT} # visitors${front.length > 0 ? ', through your proxy' : ''}
${
  events === 'none'
    ? ''
    : `  dashboard: 127.0.0.1:8085 # the page where you look at your traffic
  api: 127.0.0.1:8082 # SQL, and assistants over MCP
`
}  admin: 127.0.0.1:9090 # /ready and /metrics

# The values of \${…} are in the file beside this one that ends in .env. Keep it for yourself.
secret: \${GUARD_SECRET}

# Who may say in X-Forwarded-For where a visitor comes from.${front.length > 0 ? '' : ' Nothing stands in front: Guard believes no one.'}
trusted_proxies: [${front.map(quoted).join(', ')}]
${
  mode === 'observe'
    ? `
# Nothing is enforced: events say what would have been done. Take this line out when they are what you expect.
observe: true
`
    : ''
}
organisations:
  - id: me
${events === 'none' ? '' : "    analytics_keys: [{ id: me, key: '${ANALYTICS_KEY}' }]\n"}    # Programs that may pass: they could never answer a challenge.
    presets: [well-known, feeds, git, webhooks, monitors, link-previews]
    rules:
      # The first rule that fits decides. Put your own in front of this one.
      # Each address has five pages in ten minutes. Then the page checks the browser, once a day.
${
  mode === 'observe'
    ? '      # monitor: true blocks no visitor: what would be blocked passes, and events have the reasons.\n'
    : ''
}      - { name: everybody, match: {}, detect: true, challenge: auto${mode === 'observe' ? ', monitor: true' : ''} }

sites:
  - hosts: [${site.map(quoted).join(', ')}]
    organisation: me
    origin: ${quoted(origin)}
    skip: [/favicon.ico] # never judged, never recorded: name the folder of your static files here
${eventsText(events)}
# Who has passed a challenge stays known after a restart.
store: { engine: memory, path: ./data/store }
`;
}

function eventsText(events: Answers['events']): string {
  if (events === 'none') return '';
  const settings =
    events === 'embedded'
      ? '{ engine: embedded, path: ./data/analytics }'
      : `{ engine: clickhouse, url: ${quoted(events.clickhouse)}, user: guard, password: '\${CLICKHOUSE_PASSWORD}', spill: ./data/spill }`;
  return `
# One row for each decision, kept for 90 days.
analytics: ${settings}
`;
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** A text that YAML reads as what it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
