import { readFileSync } from 'node:fs';

/** The version of this Guard, such as 0.1.0. */
export function guardVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string }; // our own manifest, which npm checks
  return version;
}
