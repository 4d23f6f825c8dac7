import { isDeepStrictEqual } from 'node:util';
import type { SettingPath } from '@guard/config/settings/load';
import { settingsText } from '@guard/config/settings/derived/settings-text';
import type { Organisation, Settings, Site } from '@guard/config/settings/schema';
import type { Pause } from '@guard/config/time/slices';

/** The maximum number of names in the log. Further names are only counted. */
const MAX_NAMES = 40;

/**
 * Names the settings that differ, for a log: `sites.shop.example (added)`. It shows no values, because some are secret.
 */
export async function changesBetween(
  before: Settings,
  after: Settings,
  pause: Pause,
): Promise<readonly string[]> {
  const { organisations: oldOrganisations, sites: oldSites, ...oldRest } = before;
  const { organisations, sites, ...rest } = after;
  const names = [
    ...(await fieldsThatDiffer(oldRest, rest, pause)),
    ...(await entriesThatDiffer(
      'organisations',
      { old: oldOrganisations, fresh: organisations, nameOf: ({ id }) => id },
      pause,
    )),
    ...(await entriesThatDiffer(
      'sites',
      { old: oldSites, fresh: sites, nameOf: ({ hosts }) => hosts[0] ?? '' },
      pause,
    )),
  ];
  const shownNames = names.slice(0, MAX_NAMES);
  return names.length > MAX_NAMES
    ? [...shownNames, `and ${names.length - MAX_NAMES} more`]
    : shownNames;
}

interface Entries<T> {
  readonly old: readonly T[];
  readonly fresh: readonly T[];
  readonly nameOf: (entry: T) => string;
}

async function entriesThatDiffer<T extends Organisation | Site>(
  list: 'organisations' | 'sites',
  { old, fresh, nameOf }: Entries<T>,
  pause: Pause,
): Promise<string[]> {
  const entriesBefore = new Map(old.map((entry) => [nameOf(entry), entry]));
  const entriesAfter = new Map(fresh.map((entry) => [nameOf(entry), entry]));
  const names = [...entriesBefore.keys()]
    .filter((name) => !entriesAfter.has(name))
    .map((name) => `${list}.${name} (removed)`);
  for (const [name, entry] of entriesAfter) {
    const oldEntry = entriesBefore.get(name);
    if (oldEntry === undefined) {
      names.push(`${list}.${name} (added)`);
      continue;
    }
    const fields = await fieldsThatDiffer(oldEntry, entry, pause);
    names.push(...fields.map((field) => `${list}.${name}.${field}`));
    await pause();
  }
  return names;
}

async function fieldsThatDiffer<T extends object>(
  before: T,
  after: T,
  pause: Pause,
): Promise<string[]> {
  const names: string[] = [];
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    // If one of the two settings lacks a field, its value is undefined.
    const [oldValue, newValue]: unknown[] = [Reflect.get(before, field), Reflect.get(after, field)];
    const isEqual =
      field === 'rules' && Array.isArray(oldValue) && Array.isArray(newValue)
        ? await areSameRules(oldValue, newValue, pause)
        : isDeepStrictEqual(oldValue, newValue);
    if (!isEqual) names.push(field);
  }
  return names;
}

/**
 * Rules can share a long list, so each text is compared once. An entry that was not read again is the same object in
 * both settings.
 */
async function areSameRules(
  before: readonly unknown[],
  after: readonly unknown[],
  pause: Pause,
): Promise<boolean> {
  if (before.length !== after.length) return false;
  for (const [at, rule] of after.entries()) {
    const oldRule = before[at];
    if (oldRule !== rule && settingsText(oldRule) !== settingsText(rule)) return false;
    await pause();
  }
  return true;
}

/** Settings that are used only at the start. They do not change until the process ends. */
export type StartSettings = Pick<Settings, 'listen' | 'store' | 'analytics' | 'workers'>;

export function withStartSettings(next: Settings, atStart: StartSettings): Settings {
  const { listen, store, analytics, workers } = atStart;
  return { ...next, listen, store, analytics, workers };
}

/** The paths of new settings that need a restart: listeners, workers, and where sessions and events are stored. */
export function pathsThatNeedRestart(atStart: StartSettings, next: Settings): SettingPath[] {
  const listeners = new Set([...Object.keys(atStart.listen), ...Object.keys(next.listen)]);
  return [
    ...[...listeners]
      // The cast is safe: both objects come from the same schema, so each name is a service.
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
