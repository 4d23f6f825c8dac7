import { dirname, join } from 'node:path';
import { z } from 'zod';
import { jsName } from './production-modules.ts';

/**
 * Makes the package.json of the tarball, and a lock file for the list of its parts, from the same files of the
 * repository.
 */

const Names = z.record(z.string(), z.string()).default({});
export const Manifest = z.object({
  name: z.string(),
  dependencies: Names,
  optionalDependencies: Names,
  exports: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** The entry of the lock file for a library in the tarball. */
const Entry = z.object({
  version: z.string(),
  license: z.string().optional(),
  dependencies: Names,
  peerDependencies: Names,
  peerDependenciesMeta: z.record(z.string(), z.unknown()).default({}),
});
type LockEntry = Readonly<Record<string, unknown>>;
export const Lock = z.object({
  packages: z.record(z.string(), z.record(z.string(), z.unknown())),
});
export type Lock = z.infer<typeof Lock>;

/** A package with Node for one platform (packaging/node-packages.json). */
const NodePackage = z.strictObject({
  version: z.string(),
  integrity: z.string().startsWith('sha512-'),
  os: z.array(z.string()),
  cpu: z.array(z.string()),
});
export const NodePackages = z.record(z.string(), NodePackage);
export type NodePackages = z.infer<typeof NodePackages>;

/** The packages of the repository in an installation: folder and manifest. */
export type Workspaces = ReadonlyMap<string, Manifest>;

/** The exports of a package of the repository: `@guard/config/net/*` is `config/src/net/*.ts`. */
export function exportsOf(workspaces: Workspaces): ReadonlyMap<string, string> {
  return new Map(
    [...workspaces].flatMap(([folder, { name, exports = {} }]) =>
      Object.entries(typeof exports === 'string' ? { '.': exports } : exports).map(
        ([path, target]): [string, string] => [join(name, path), join(folder, target)],
      ),
    ),
  );
}

/** Returns the file of a name such as `@guard/config/net/cidr`. Undefined if no package exports the name. */
export function resolveExport(
  exportTargets: ReadonlyMap<string, string>,
  name: string,
): string | undefined {
  const exact = exportTargets.get(name);
  if (exact !== undefined) return exact;
  for (const [pattern, target] of exportTargets) {
    const before = pattern.slice(0, -1);
    if (pattern.endsWith('/*') && name.startsWith(before)) {
      return target.replace('*', name.slice(before.length));
    }
  }
  return undefined;
}

function importsOf(workspaces: Workspaces): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...exportsOf(workspaces)].map(([name, target]) => [
      `#${name.slice(1)}`,
      `./${jsName(target)}`,
    ]),
  );
}

interface Parts {
  /** The package.json of the repository. */
  readonly root: Readonly<Record<string, unknown>>;
  readonly workspaces: Workspaces;
  readonly lock: Lock;
  readonly nodePackages: NodePackages;
}

interface Packed {
  /** The libraries in the tarball, as paths below `node_modules/`. */
  readonly bundled: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The lock file entries of an installation. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/**
 * Each library is in the tarball in the version of the lock file, so an installation has the tested versions. npm
 * fetches Node and esbuild for one platform, in exactly the tested version. The embedded database is an optional peer
 * dependency, so npm does not install it by itself.
 */
export function packManifests({ root, workspaces, lock, nodePackages }: Parts): Packed {
  const manifests = [...workspaces.values()];
  const pin = (names: readonly string[]) =>
    Object.fromEntries(
      names.toSorted().map((name) => [name, lock.packages[`node_modules/${name}`]?.['version']]),
    );
  const libraries = [
    ...new Set(manifests.flatMap(({ dependencies }) => Object.keys(dependencies))),
  ].filter((name) => !name.startsWith('@guard/'));
  const database = manifests.flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies),
  );
  const bundledEntries = reachable(lock, libraries);
  const fetchedEntries = { ...nodeEntries(nodePackages), ...bundlerEntries(lock) };
  const fieldOfRoot = (field: string): [string, unknown] => [field, root[field]];
  const needs = {
    dependencies: pin(libraries),
    bundleDependencies: libraries.toSorted(),
    optionalDependencies: Object.fromEntries(
      Object.entries(fetchedEntries).map(([path, { version }]) => [nameOf(path), version]),
    ),
    peerDependencies: pin(database),
    peerDependenciesMeta: Object.fromEntries(database.map((name) => [name, { optional: true }])),
  };
  return {
    bundled: Object.keys(bundledEntries),
    manifest: {
      ...Object.fromEntries(
        ['name', 'version', 'private', 'description', 'license', 'type', 'engines', 'bin'].map(
          fieldOfRoot,
        ),
      ),
      imports: importsOf(workspaces),
      ...needs,
    },
    parts: {
      ...Object.fromEntries([fieldOfRoot('name'), fieldOfRoot('version')]),
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { ...Object.fromEntries(['name', 'version', 'license'].map(fieldOfRoot)), ...needs },
        ...sortEntries({ ...bundledEntries, ...fetchedEntries }),
      },
    },
  };
}

function nodeEntries(nodePackages: NodePackages): Record<string, LockEntry> {
  return Object.fromEntries(
    Object.entries(nodePackages).map(([name, entry]) => [
      `node_modules/${name}`,
      { ...entry, license: 'MIT', optional: true },
    ]),
  );
}

/** esbuild's program for each platform of Guard. */
function bundlerEntries(lock: Lock): Record<string, LockEntry> {
  return Object.fromEntries(
    ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map((platform) => {
      const path = `node_modules/@esbuild/${platform}`;
      const { version, integrity, license, os, cpu } = lock.packages[path] ?? {};
      if (integrity === undefined) throw new Error(`package-lock.json has no hash of ${path}.`);
      return [path, { version, integrity, license, os, cpu, optional: true }];
    }),
  );
}

/** Returns the entries of these packages and of their dependencies, with their paths in the lock file. */
function reachable(lock: Lock, names: readonly string[]): Record<string, LockEntry> {
  const nodeEntriesFound: Record<string, LockEntry> = {};
  const open = new Set(names.map((name) => `node_modules/${name}`));
  // The loop also visits elements that are added while it runs.
  for (const path of open) {
    const { version, license, dependencies, peerDependencies, peerDependenciesMeta } = Entry.parse(
      lock.packages[path],
    );
    nodeEntriesFound[path] = { version, license, inBundle: true, dependencies };
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]);
    for (const name of [...Object.keys(dependencies), ...peers]) {
      open.add(placeOf(lock, path, name));
    }
  }
  return nodeEntriesFound;
}

/**
 * Returns where Node finds `name` from the package at `path`: in the folder of the package, or in a folder above it.
 */
function placeOf(lock: Lock, path: string, name: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (place in lock.packages) return place;
    if (folder === '.') throw new Error(`package-lock.json has no ${name}, which ${path} needs.`);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function sortEntries(entries: Readonly<Record<string, LockEntry>>): Record<string, LockEntry> {
  return Object.fromEntries(
    Object.entries(entries).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
