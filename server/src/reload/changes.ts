import { isDeepStrictEqual } from 'node:util';
import type { SettingPath } from '@guard/config/settings/load';
import type { Organisation, Settings, Site } from '@guard/config/settings/schema';

/** Most names in one log line; the rest are counted. */
const MAX_NAMES = 40;

/** Settings that are lists of named entries. */
type Lists = 'organisations' | 'sites';

/**
 * The names of the settings that differ, for a log: `observe`, `organisations.acme.rules`,
 * `sites.shop.example (added)`. Values are never shown, since some are secret.
 */
export function changesBetween(before: Settings, after: Settings): readonly string[] {
  const { organisations: oldOrganisations, sites: oldSites, ...oldRest } = before;
  const { organisations, sites, ...rest } = after;
  const names = [
    ...fieldsThatDiffer(oldRest, rest),
    ...entriesThatDiffer('organisations', oldOrganisations, organisations, ({ id }) => id),
    ...entriesThatDiffer('sites', oldSites, sites, ({ hosts }) => hosts[0] ?? ''),
  ];
  const shown = names.slice(0, MAX_NAMES);
  return names.length > MAX_NAMES ? [...shown, `and ${names.length - MAX_NAMES} more`] : shown;
}

function entriesThatDiffer<T extends Organisation | Site>(
  list: Lists,
  before: readonly T[],
  after: readonly T[],
  nameOf: (entry: T) => string,
): string[] {
  const old = new Map(before.map((entry) => [nameOf(entry), entry]));
  const fresh = new Map(after.map((entry) => [nameOf(entry), entry]));
  const gone = [...old.keys()].filter((name) => !fresh.has(name));
  return [
    ...gone.map((name) => `${list}.${name} (removed)`),
    ...[...fresh].flatMap(([name, entry]) => {
      const was = old.get(name);
      if (was === undefined) return [`${list}.${name} (added)`];
      return fieldsThatDiffer(was, entry).map((field) => `${list}.${name}.${field}`);
    }),
  ];
}

function fieldsThatDiffer<T extends object>(before: T, after: T): string[] {
  const fields = new Map([...Object.entries(before), ...Object.entries(after)]);
  return [...fields.keys()].filter((field) => {
    // The field can be missing in one of the two: then its value is undefined.
    const [was, is]: unknown[] = [Reflect.get(before, field), Reflect.get(after, field)];
    return !isDeepStrictEqual(was, is);
  });
}

/** Settings that are only read at the start. They stay until the process ends. */
type StartSettings = Pick<Settings, 'listen' | 'store' | 'analytics' | 'workers'>;

/** New settings, but with the StartSettings of the start. */
export function asStarted(next: Settings, atStart: StartSettings): Settings {
  const { listen, store, analytics, workers } = atStart;
  return { ...next, listen, store, analytics, workers };
}

/**
 * The paths of new settings that need a restart, because they differ from the settings at the start:
 * listeners, workers, and the places of sessions and events.
 */
export function needRestart(atStart: StartSettings, next: Settings): SettingPath[] {
  const listeners = new Set([...Object.keys(atStart.listen), ...Object.keys(next.listen)]);
  return [
    ...[...listeners]
      // Both come from the same schema, so each name is one of its services.
      .filter((name) => !isSame(atStart.listen, next.listen, name as keyof Settings['listen']))
      .map((name) => ['listen', name]),
    ...(['store', 'analytics', 'workers'] as const)
      .filter((name) => !isSame(atStart, next, name))
      .map((name) => [name]),
  ];
}

function isSame<T, K extends keyof T>(before: T, after: Pick<T, K>, name: K): boolean {
  return isDeepStrictEqual(before[name], after[name]);
}
