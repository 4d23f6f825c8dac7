import { createHash } from 'node:crypto';
import { atOnce, type Sliced } from '../../time/slices.ts';
import type { Settings, Site } from '../schema.ts';
import { settingsText } from './settings-text.ts';

/** Settings that do not change a decision. */
export const NOT_IN_REVISION: ReadonlySet<string> = new Set<keyof Settings>([
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
 * Identifies the settings that affect decisions, in 12 hex digits. Every reading of the same file has the same
 * revision, and a change of these settings gives another revision. Keys and secrets do not affect the revision, so it
 * cannot confirm a guessed key.
 */
export function settingsRevision(settings: Settings): string {
  return atOnce(makeRevision(settings));
}

/** Computes the revision, and pauses after each rule. */
export function* makeRevision(settings: Settings): Sliced<string> {
  const cachedRevision = revisions.get(settings);
  if (cachedRevision !== undefined) return cachedRevision;
  const digest = createHash('sha256');
  for (const text of textsOf(settings)) {
    digest.update(text);
    yield;
  }
  const revision = digest.digest('hex').slice(0, 12);
  revisions.set(settings, revision);
  return revision;
}

/** Cached, because settings in memory never change and a start needs the revision three times. */
const revisions = new WeakMap<Settings, string>();

function* textsOf({ organisations, sites, ...rest }: Settings): Iterable<string> {
  yield settingsText(Object.entries(rest).filter(([name]) => !NOT_IN_REVISION.has(name)));
  for (const { rules, ...organisation } of organisations) {
    yield settingsText({ ...organisation, secret_keys: [], analytics_keys: [] });
    for (const rule of rules) yield settingsText(rule);
  }
  for (const site of sites) yield settingsText(withoutKey(site));
}

function withoutKey(site: Site): Site {
  const { validator } = site;
  return validator === 'in-process' ? site : { ...site, validator: { ...validator, key: '' } };
}
