import type { SettingPath } from '../problems/problems.ts';

export interface Contradiction {
  readonly path: SettingPath;
  readonly message: string;
  /** The path of the earlier setting with the same name. */
  readonly first?: SettingPath;
  /** The paths of the settings that have the valid values. */
  readonly choices?: readonly SettingPath[];
}

interface NamedPlace {
  readonly name: string | undefined;
  readonly path: SettingPath;
}

/** Finds names that occur more than once. `what` is the noun for the value that must be unique. */
export function findRepeated(list: readonly NamedPlace[], what: string): Contradiction[] {
  const firstPlaces = new Map<string, SettingPath>();
  return list.flatMap(({ name, path }) => {
    const first = name === undefined ? undefined : firstPlaces.get(name);
    if (name !== undefined && first === undefined) firstPlaces.set(name, path);
    return first === undefined ? [] : [{ path, first, message: `expected ${what}` }];
  });
}
