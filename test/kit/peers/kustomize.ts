import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { type Manifest, parseManifests } from '../examples/example-manifests.ts';

/**
 * Returns the objects that `kubectl kustomize` renders from a folder. Throws with its message when the program fails.
 */
export function renderKustomization(folder: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
    // Newer versions warn about the old names of some fields.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return parseManifests(basename(folder), text);
}
