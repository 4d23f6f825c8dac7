import { type Preset, PRESETS } from '@guard/config/settings/sections/preset-names';
import type { Application } from '../applications/application.ts';
import type { Answers } from './answers.ts';

export const GATEWAY_PORT = 8080;

/** Presets for some kinds of sites only. The other presets are useful for any site. */
const SPECIAL_PRESETS: readonly string[] = ['apt', 'containers', 'media'] satisfies Preset[];

/**
 * The text of guard.yaml for these answers. The answers were already checked. In YAML values they are written in
 * quotes.
 */
export function settingsText(answers: Answers, application: Application | undefined): string {
  const parts = [
    [
      `# Guard in front of ${answers.site.join(', ')}. The page guard.yaml of the documentation lists every setting.`,
      '# A running Guard applies a change by itself. guard check finds mistakes in this file.',
      'version: 1',
    ],
    listenLines(answers),
    [
      '# The values of ${…} are in the .env file beside this file. Keep that file secret.',
      'secret: ${GUARD_SECRET}',
    ],
    proxyLines(answers),
    modeLines(answers),
    organisationLines(answers, application),
    siteLines(answers),
    eventLines(answers),
    [
      '# Visitors who have passed a challenge stay known after a restart.',
      'store: { engine: memory, path: ./data/store }',
    ],
  ];
  const paragraphs = parts.filter(({ length }) => length > 0).map((lines) => lines.join('\n'));
  return `${paragraphs.join('\n\n')}\n`;
}

function listenLines({ front: frontProxies, events: eventStore }: Answers): string[] {
  const host = frontProxies.length > 0 && frontProxies.every(isLoopback) ? '127.0.0.1' : '0.0.0.0';
  const proxyNote = frontProxies.length > 0 ? ', through your proxy' : '';
  return [
    'listen:',
    `  gateway: ${host}:${GATEWAY_PORT} # visitors${proxyNote}`,
    ...(eventStore === 'none'
      ? []
      : [
          '  dashboard: 127.0.0.1:8085 # the page where you look at your traffic',
          '  api: 127.0.0.1:8082 # SQL, and assistants over MCP',
        ]),
    '  admin: 127.0.0.1:9090 # /ready and /metrics',
  ];
}

function proxyLines({ front: frontProxies }: Answers): string[] {
  const noProxyNote = ' There are none: Guard trusts no such header.';
  return [
    `# Proxies that may tell the visitor's address in X-Forwarded-For.${frontProxies.length > 0 ? '' : noProxyNote}`,
    `trusted_proxies: [${frontProxies.map(quoteForYaml).join(', ')}]`,
  ];
}

function modeLines({ mode }: Answers): string[] {
  return mode === 'enforce'
    ? []
    : [
        '# Nothing is enforced. Events show what Guard would decide if this line were not here.',
        '# Remove this line when the decisions are what you expect. Then visitors are challenged.',
        '# To block as well, remove monitor: true below too.',
        'observe: true',
      ];
}

function organisationLines(
  { events: eventStore, mode }: Answers,
  application: Application | undefined,
): string[] {
  const { title, presets = [], rules = [] } = application ?? {};
  const neededPresets: readonly string[] = presets.map(({ preset }) => preset);
  const isChosen = (name: string) =>
    !SPECIAL_PRESETS.includes(name) || neededPresets.includes(name);
  const chosenPresets = PRESETS.filter(isChosen);
  const otherPresets = PRESETS.filter((name) => !isChosen(name));
  const isWatching = mode === 'observe';
  return [
    'organisations:',
    '  - id: me',
    ...(eventStore === 'none' ? [] : ["    analytics_keys: [{ id: me, key: '${ANALYTICS_KEY}' }]"]),
    `    # Programs that may pass: they could never answer a challenge. More presets: ${otherPresets.join(', ')}.`,
    ...presets.map(({ preset, why }) => `    # ${preset}, for ${title}: ${why}`),
    `    presets: [${chosenPresets.join(', ')}]`,
    '    # Payment services report to your site. Verified webhooks of Stripe pass without a setting.',
    '    # For other services, such as PayPal, name the paths on your site to which they report:',
    '    # webhook_paths: [/hooks/**]',
    '    rules:',
    '      # The first matching rule decides. Put your own rules before this one.',
    ...rules.flatMap(({ why, line }) => [`      # ${title}: ${why}`, `      - ${line}`]),
    '      # Each address has five pages in ten minutes. Then the challenge page checks the browser, once a day.',
    ...(isWatching
      ? [
          '      # monitor: true blocks no visitor: what would be blocked passes, and events have the reasons.',
        ]
      : []),
    `      - { name: everybody, match: {}, detect: true, challenge: auto${isWatching ? ', monitor: true' : ''} }`,
  ];
}

function siteLines({ site: hosts, origin }: Answers): string[] {
  return [
    'sites:',
    `  - hosts: [${hosts.map(quoteForYaml).join(', ')}]`,
    '    organisation: me',
    `    origin: ${quoteForYaml(origin)}`,
    '    # skip: [/static/**] # never judged, never recorded: a folder that your web server serves without the application',
  ];
}

function eventLines({ events: eventStore }: Answers): string[] {
  if (eventStore === 'none') return [];
  const settings =
    eventStore === 'embedded'
      ? '{ engine: embedded, path: ./data/analytics }'
      : `{ engine: clickhouse, url: ${quoteForYaml(eventStore.clickhouse)}, user: guard, password: '\${CLICKHOUSE_PASSWORD}', spill: ./data/spill }`;
  return ['# One row for each decision, kept for 90 days.', `analytics: ${settings}`];
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** A text that YAML reads unchanged. */
function quoteForYaml(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
