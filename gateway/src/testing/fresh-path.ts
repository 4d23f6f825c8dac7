import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A path in a new folder. The folder is removed when the test ends. */
export function freshPath(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'guard-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, name);
}
