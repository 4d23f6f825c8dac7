import { formatProblem, loadSettings } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { CONFIG_OPTION, type Options } from '../command-line/options.ts';
import { listenerUrl } from './listener-url.ts';
import { type EventsAccess, KEY_VARIABLE } from './query-events.ts';

/** Options of the commands that ask a running Guard. */
export const GUARD_OPTIONS = {
  config: {
    ...CONFIG_OPTION,
    help: 'its settings file: where its listeners are, and what to expect',
  },
  admin: { type: 'string', value: 'URL', help: 'its admin listener, where that is elsewhere' },
  api: { type: 'string', value: 'URL', help: 'its api service, where that is elsewhere' },
  key: { type: 'string', value: 'KEY', help: `an analytics key for it; better in ${KEY_VARIABLE}` },
} as const satisfies Options;

/** Where a running Guard can be asked, and its settings. */
export interface RunningGuard {
  readonly settings: Settings | undefined;
  readonly admin: string | undefined;
  /** Its events, or why they cannot be read. */
  readonly events: EventsAccess | { readonly missing: string };
}

export type Found =
  | { readonly kind: 'found'; readonly guard: RunningGuard }
  | { readonly kind: 'wrong'; readonly message: string }
  /** The settings file has problems, one in each line. */
  | { readonly kind: 'invalid'; readonly problems: string };

interface GuardOptions {
  readonly config?: string | undefined;
  readonly admin?: string | undefined;
  readonly api?: string | undefined;
  readonly key?: string | undefined;
}

/** Finds out from the options and the settings file where the running Guard can be asked. */
export function findGuard(
  given: GuardOptions,
  env: Readonly<Record<string, string | undefined>>,
): Found {
  for (const name of ['admin', 'api'] as const) {
    const url = given[name];
    if (url !== undefined && !isHttp(url)) {
      return { kind: 'wrong', message: `--${name} takes a URL, such as http://127.0.0.1:9090` };
    }
  }
  const loaded = given.config === undefined ? undefined : loadSettings(given.config, env);
  if (loaded?.kind === 'invalid') {
    return { kind: 'invalid', problems: loaded.problems.map(formatProblem).join('\n') };
  }
  const settings = loaded?.settings;
  const admin = given.admin ?? listenerUrl(settings?.listen.admin);
  const api = given.api ?? listenerUrl(settings?.listen.api);
  const events = accessTo(api, given.key ?? env[KEY_VARIABLE]);
  return { kind: 'found', guard: { settings, admin, events } };
}

function accessTo(api: string | undefined, key = ''): RunningGuard['events'] {
  if (api === undefined) {
    return { missing: 'say where its api service is: --config FILE or --api URL' };
  }
  return key === '' ? { missing: `give an analytics key in ${KEY_VARIABLE}` } : { url: api, key };
}

export function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
