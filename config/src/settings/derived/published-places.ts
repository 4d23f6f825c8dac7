import { join } from 'node:path';
import { dataFolder } from './data-folder.ts';
import type { Settings } from '../schema.ts';

/** The folder of the ranges of crawlers that were fetched; it need not exist. Undefined where these settings name none. */
export function crawlerRangesFolder(settings: Settings): string | undefined {
  const data = dataFolder(settings);
  return settings.crawlers.ranges ?? (data === undefined ? undefined : join(data, 'crawlers'));
}
