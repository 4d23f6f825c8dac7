import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const DemoKeys = z.object({
  GUARD_SECRET: z.string().min(32),
  DEMO_SECRET_KEY: z.string().min(16),
  DEMO_ANALYTICS_KEY: z.string().startsWith('sk_api_ro_'),
});
export type DemoKeys = z.infer<typeof DemoKeys>;

/** The keys of the demo. They are created once and stored in a file that only this user can read. */
export async function demoKeys(folder: string): Promise<{ keys: DemoKeys; file: string }> {
  const file = join(folder, 'keys.json');
  const storedKeys = await readKeys(file);
  if (storedKeys) return { keys: storedKeys, file };
  const keys = {
    GUARD_SECRET: randomBytes(32).toString('base64url'),
    DEMO_SECRET_KEY: `sk_${randomBytes(24).toString('base64url')}`,
    DEMO_ANALYTICS_KEY: `sk_api_ro_${randomBytes(24).toString('base64url')}`,
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600, flag: 'w' });
  return { keys, file };
}

/**
 * The keys in the file. Undefined when there is no file yet. A damaged file is an error, so that its keys are not
 * overwritten.
 */
async function readKeys(file: string): Promise<DemoKeys | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return DemoKeys.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged. Remove it to get new keys.`);
  }
}
