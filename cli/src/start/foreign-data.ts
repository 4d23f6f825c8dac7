import type { Settings } from '@guard/config/settings/schema';
import { strangersPathIn } from '../command-line/owners.ts';

/**
 * Says why root must not use the data folders of these settings: a part of them belongs to another user, who could
 * change the accounts of the database, or put links in place of files. Undefined when Guard may start.
 */
export function refusalOfData(
  { store, analytics }: Pick<Settings, 'store' | 'analytics'>,
  uid: number | undefined,
): string | undefined {
  if (uid !== 0) return undefined;
  const folders = [
    store.engine === 'memory' ? store.path : undefined,
    analytics?.engine === 'embedded' ? analytics.path : analytics?.spill,
  ];
  for (const folder of folders) {
    const strangersPath = folder === undefined ? undefined : strangersPathIn(folder);
    if (strangersPath === undefined) continue;
    return `${strangersPath.path} belongs to another user (id ${strangersPath.uid}), who could change what Guard does as root. Start Guard as that user, or give the folder to root: chown -R root ${folder}`;
  }
  return undefined;
}
