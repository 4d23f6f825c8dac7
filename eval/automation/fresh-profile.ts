import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserResources } from './tool.ts';

/** Calls `use` with an empty profile folder, and removes the folder afterwards. */
export async function withFreshProfile<T>(
  display: string,
  use: (resources: BrowserResources) => Promise<T>,
): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'guard-profile-'));
  try {
    return await use({ profile, display });
  } finally {
    // Browsers still write files for a moment after their main process has ended.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
