import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The lock file has a hash of each package, so that a registry cannot deliver other files. */

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

/**
 * Libraries of the embedded database for other platforms. They were missing in the registry from which the lock file
 * was made. SECURITY.md explains this, and says how to add their hashes. A name is removed here when it has its
 * SHA-512.
 */
const NOT_PINNED = [
  '@chdb/lib-darwin-arm64',
  '@chdb/lib-darwin-x64',
  '@chdb/lib-linux-arm64-gnu',
] as const;

const ROOT = join(import.meta.dirname, '..');
const readFromRoot = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const lock = JSON.parse(readFromRoot('package-lock.json')) as {
  packages: Readonly<Record<string, Entry>>;
}; // npm wrote this file

const fetchedPackages = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

test('every package has its exact version', () => {
  expect(fetchedPackages.length).toBeGreaterThan(300);
  const loose = fetchedPackages.filter(([, { version = '' }]) => !/^\d+\.\d+\.\d+/.test(version));
  expect(loose).toEqual([]);
});

test('every package has its SHA-512, except those that are named here and in SECURITY.md', () => {
  const loose = fetchedPackages.filter(
    ([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity),
  );
  expect(loose.map(([path]) => path)).toEqual(NOT_PINNED.map((name) => `node_modules/${name}`));
  for (const name of NOT_PINNED) expect(readFromRoot('SECURITY.md')).toContain(`\`${name}\``);
});
