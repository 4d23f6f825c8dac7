import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder for the files of one test file, which is removed at its end. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guard-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
