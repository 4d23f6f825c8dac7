import { hash } from 'node:crypto';
import { join } from 'node:path';
import { bundledAt, type DatabaseKind } from '../../catalogue/data-age.ts';
import { mmdbBuiltAt } from '../../catalogue/mmdb.ts';
import { dataFolder } from './data-places.ts';
import type { Settings } from '../schema.ts';

/**
 * The default sources of databases: the builds of github.com/sapics/ip-location-db, which also made the bundled
 * databases. The data of countries is from DB-IP (CC BY 4.0). The data of autonomous systems is from the project itself
 * (PDDL).
 */
const DEFAULT_URLS: Readonly<Record<DatabaseKind, string>> = {
  country: 'https://github.com/sapics/ip-location-db/releases/download/latest/dbip-country.mmdb',
  asn: 'https://github.com/sapics/ip-location-db/releases/download/latest/origin-asn.mmdb',
};

/** A week is often enough, because the files have many megabytes and change little. */
const DEFAULT_REFRESH_MS = 7 * 86_400_000;

export interface FetchedDatabase {
  readonly kind: DatabaseKind;
  readonly url: string;
  /** Milliseconds between two fetches. With `off` the current file is kept. */
  readonly every: number | 'off';
  /** The file of the last good copy. The file can be missing. */
  readonly copyPath: string;
  /** True when the settings name the URL. */
  readonly isNamed: boolean;
}

/** The databases that Guard fetches. Empty when the settings name no folder for copies. */
export function fetchedDatabasesOf(settings: Settings): readonly FetchedDatabase[] {
  const folder = dataFolder(settings);
  const { databases, crawlers } = settings;
  // A user who switched off one of Guard's own requests does not want the others either.
  const every = databases.refresh ?? (crawlers.refresh === 'off' ? 'off' : DEFAULT_REFRESH_MS);
  return (['country', 'asn'] as const).flatMap((kind): FetchedDatabase[] => {
    const setting = databases[kind];
    if (folder === undefined || typeof setting === 'string') return [];
    const url = setting?.url ?? DEFAULT_URLS[kind];
    const copyPath = databaseCopyOf(folder, kind, url);
    return [{ kind, url, every, copyPath, isNamed: setting !== undefined }];
  });
}

export function databaseCopyOf(folder: string, kind: DatabaseKind, url: string): string {
  return join(folder, 'databases', `${kind}-${hash('sha256', url, 'hex').slice(0, 16)}.mmdb`);
}

/** The files of the databases in use. Undefined for a bundled database. */
export type DatabaseFiles = Readonly<Partial<Record<DatabaseKind, string>>>;

/**
 * The file of the user, or the last good copy. A copy that cannot be read is not used. A copy from a default source is
 * not used either when the bundled database is newer.
 */
export function databaseFilesOf(settings: Settings): DatabaseFiles {
  const { country, asn } = settings.databases;
  const ownFiles = Object.entries({ country, asn }).filter(([, file]) => typeof file === 'string');
  const copies = fetchedDatabasesOf(settings).flatMap(({ kind, copyPath, isNamed }) => {
    const builtAt = mmdbBuiltAt(copyPath);
    const isUsed = builtAt !== undefined && (isNamed || builtAt > bundledAt(kind));
    return isUsed ? [[kind, copyPath] as const] : [];
  });
  return Object.fromEntries([...ownFiles, ...copies]);
}
