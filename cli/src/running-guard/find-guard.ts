import { plainAnalyticsKeys } from '@guard/config/settings/keys/plain-keys';
import { listenerUrl } from '@guard/config/net/special-address';
import type { Settings } from '@guard/config/settings/schema';
import type { ListenAddress } from '@guard/config/settings/values/values';
import { CONFIG_OPTION, type Options, USUAL_FILE, valueOption } from '../command-line/options.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import { type EventsAccess, KEY_VARIABLE } from './query-events.ts';

export const EVENTS_OPTIONS = {
  config: {
    ...CONFIG_OPTION,
    help: `the settings file of this Guard, which names its listeners;\ndefault ${USUAL_FILE} in this folder, unless a URL below is given`,
  },
  api: valueOption('URL', 'the URL of its api service, if FILE does not name it'),
  key: valueOption(
    'KEY',
    `an analytics key for this service; better in ${KEY_VARIABLE}.\nDefault: a key in FILE, in plain text or as \`\${NAME}\``,
  ),
} as const satisfies Options;

export const FIND_GUARD_OPTIONS = {
  config: EVENTS_OPTIONS.config,
  admin: valueOption('URL', 'the URL of its admin listener, if FILE does not name it'),
  api: EVENTS_OPTIONS.api,
  key: EVENTS_OPTIONS.key,
} as const satisfies Options;

export interface RunningGuard {
  readonly settings: Settings | undefined;
  readonly admin: string | undefined;
  /** Access to its events, or a sentence that says what the user has to give. */
  readonly events: EventsAccess | { readonly missing: string };
}

type GuardOptions = { readonly [Name in keyof typeof FIND_GUARD_OPTIONS]?: string | undefined };

/**
 * Finds the addresses of the running Guard from the options and the settings file. When the result is a text, it is a
 * sentence for the user: an option is wrong, or another user owns the settings file of this folder. When it is 1, the
 * settings had problems, which were printed: 1 is the exit code.
 */
export function findGuard(options: GuardOptions): RunningGuard | string | 1 {
  const badOption = (['admin', 'api'] as const).find(
    (name) => !isHttp(options[name] ?? 'http://x'),
  );
  if (badOption !== undefined) return `--${badOption} takes a URL, such as http://127.0.0.1:9090`;
  // With a URL in the options, the usual file of this folder is not read, because the URL can belong to another Guard.
  const hasAddress = options.admin !== undefined || options.api !== undefined;
  const fileOrRefusal = hasAddress ? options.config : settingsFile(options.config);
  if (typeof fileOrRefusal === 'object' && fileOrRefusal.isForeign) return fileOrRefusal.why;
  const file = typeof fileOrRefusal === 'string' ? fileOrRefusal : undefined;
  const result = file === undefined ? undefined : readSettings(file);
  if (file !== undefined && result === undefined) return 1;
  const settings = result?.settings;
  const admin = options.admin ?? urlOf(settings?.listen.admin);
  const api = options.api ?? urlOf(settings?.listen.api);
  return { settings, admin, events: eventsAccess(api, file, options) };
}

/** The URL of a listener. Undefined for a unix socket, and for port 0, because then the real port is unknown. */
function urlOf(address: ListenAddress | undefined): string | undefined {
  if (address?.kind !== 'tcp' || address.port === 0) return undefined;
  return listenerUrl(address.host, address.port);
}

function eventsAccess(
  api: string | undefined,
  file: string | undefined,
  options: GuardOptions,
): RunningGuard['events'] {
  if (api === undefined) return { missing: missingListenerText('api') };
  const key = options.key ?? process.env[KEY_VARIABLE] ?? '';
  if (key !== '') return { url: api, key };
  // A key from the settings file is sent only to the service in the settings file.
  if (file === undefined || options.api !== undefined) {
    return { missing: `give an analytics key in ${KEY_VARIABLE}` };
  }
  const [firstKey, secondKey] = plainAnalyticsKeys(file, process.env);
  if (firstKey !== undefined && secondKey === undefined) return { url: api, key: firstKey.key };
  const fault =
    firstKey === undefined ? 'has none in plain text' : 'has those of several organisations';
  return { missing: `give an analytics key in ${KEY_VARIABLE}; ${file} ${fault}` };
}

export function missingListenerText(listener: 'admin' | 'api'): string {
  return `say where its listener ${listener} is: --config FILE (default ${USUAL_FILE} in this folder) or --${listener} URL`;
}

export function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
