import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/**
 * Code for browsers. The code is bundled at install. It is bundled again at start when the kept bundle is missing or
 * stale.
 */
export interface KeptBundle<Bundle extends { readonly sources: string }> {
  readonly file: URL;
  readonly schema: z.ZodType<Bundle>;
  /** The hash of all sources and options of the bundle. A kept bundle with another value in `sources` is stale. */
  readonly hashOfSources: () => string;
  /** Makes the bundle. Throws when esbuild fails. */
  readonly bundle: () => Bundle;
}

/** The kept bundle, or a new one when the kept one is missing or stale. Throws when bundling fails. */
export function loadBundle<Bundle extends { readonly sources: string }>(
  keptBundle: KeptBundle<Bundle>,
): Bundle {
  const { file, schema, hashOfSources, bundle } = keptBundle;
  try {
    const storedBundle = schema.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (storedBundle.sources === hashOfSources()) return storedBundle;
  } catch {
    // The file is missing or damaged.
  }
  const newBundle = bundle();
  try {
    keepBundle(file, newBundle);
  } catch {
    // The installation is read-only. The next start bundles again.
  }
  return newBundle;
}

/**
 * Writes a temporary file and renames it. So a process never reads a file that another process has not completely
 * written.
 */
export function keepBundle(file: URL, bundle: object): void {
  mkdirSync(new URL('./', file), { recursive: true });
  const temporaryFile = new URL(`${file.href}.${process.pid}.tmp`);
  writeFileSync(temporaryFile, JSON.stringify(bundle));
  renameSync(temporaryFile, file);
}

/** A hash of `options` and of the files of these folders whose names `isSource` accepts. */
export function hashOfFolders(options: string, folders: readonly URL[], isSource: RegExp): string {
  const hash = createHash('sha256').update(`${options}\n`);
  for (const folder of folders) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((file) => isSource.test(file)).sort()) {
      hash.update(`${name}\n`).update(readFileSync(new URL(name, folder)));
    }
  }
  return hash.digest('hex');
}
