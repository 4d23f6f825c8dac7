import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type Environment, withEnvironmentFile } from '../reading/environment.ts';
import { MAX_SETTINGS_BYTES, readTextFile } from '../values/files.ts';
import { createLocator, createProblemList } from '../problems/problem-list.ts';
import { plainValue } from '../reading/plain-value.ts';
import { readYaml } from '../reading/read-yaml.ts';

const WithKeys = z.object({
  organisations: z.array(
    z.object({
      id: z.string(),
      analytics_keys: z
        .array(z.object({ key: z.string(), expires: z.string().optional() }))
        .default([]),
    }),
  ),
});

/**
 * The first analytics key of each organisation in plain text and without an expiry date, from the settings file, the
 * environment, or the environment file. Loaded settings have only digests. Never throws. A file that cannot be read is
 * treated as a file without keys.
 */
export function plainAnalyticsKeys(
  path: string,
  env: Environment,
): { readonly organisation: string; readonly key: string }[] {
  const file = readTextFile(path, MAX_SETTINGS_BYTES);
  if (file.kind !== 'read') return [];
  const environment = withEnvironmentFile(resolve(path), env);
  if (environment.kind === 'refused') return [];
  const root = readYaml(
    file.text,
    environment.env,
    createProblemList(path, createLocator(file.text)),
  );
  const parsed = root && WithKeys.safeParse(plainValue(root, dirname(resolve(path))));
  if (parsed?.success !== true) return [];
  return parsed.data.organisations.flatMap(({ id, analytics_keys: keys }) => {
    const plainKey = keys.find(
      ({ key, expires }) => !key.startsWith('sha256:') && expires === undefined,
    );
    return plainKey === undefined ? [] : [{ organisation: id, key: plainKey.key }];
  });
}
