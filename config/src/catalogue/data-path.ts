import { join } from 'node:path';

/** The path of a bundled data file or folder. SOURCES.md there describes it. */
export function dataPath(name: string): string {
  return join(import.meta.dirname, '../../data', name);
}
