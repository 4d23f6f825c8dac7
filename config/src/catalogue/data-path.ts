import { join } from 'node:path';

/** SOURCES.md in that folder describes the bundled data. */
export function dataPath(name: string): string {
  return join(import.meta.dirname, '../../data', name);
}
