import { hash } from 'node:crypto';
import type { Organisation, Settings, Site } from '../schema.ts';
import { settingsText } from './settings-text.ts';

/** Settings without influence on a decision. */
export const ELSEWHERE: ReadonlySet<string> = new Set<keyof Settings>([
  'listen',
  'public_urls',
  'health_check_token',
  'admin_hosts',
  'dashboard',
  'alerts',
  'log',
  'workers',
  'secret',
  'tls',
  'analytics',
  'store',
]);

/**
 * Names the settings that decide, in 12 hex digits: the same for every reading of the same file, and another
 * one after a change. Keys and secrets have no part in it, so no guess of one can be checked with it.
 */
export function settingsRevision(settings: Settings): string {
  const known = revisions.get(settings);
  if (known !== undefined) return known;
  const revision = revisionOf(settings);
  revisions.set(settings, revision);
  return revision;
}

/** Settings in memory never change, and a start asks three times. */
const revisions = new WeakMap<Settings, string>();

function revisionOf(settings: Settings): string {
  const { organisations, sites, ...rest } = settings;
  const deciding = {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !ELSEWHERE.has(name))),
    organisations: organisations.map(withoutKeys),
    sites: sites.map(withoutKey),
  };
  return hash('sha256', settingsText(deciding), 'hex').slice(0, 12);
}

function withoutKeys(organisation: Organisation): Organisation {
  return { ...organisation, secret_keys: [], analytics_keys: [] };
}

function withoutKey(site: Site): Site {
  const { validator } = site;
  return validator === 'in-process' ? site : { ...site, validator: { ...validator, key: '' } };
}
