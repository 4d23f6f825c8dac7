import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder for one test file. It is removed after the last test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guard-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
