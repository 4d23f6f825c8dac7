import { join } from 'node:path';

/** Where a bundled data file or folder stands; what is there is described in its SOURCES.md. */
export function dataPath(name: string): string {
  return join(import.meta.dirname, '../../data', name);
}
