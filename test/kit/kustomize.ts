import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { type Manifest, parseManifests } from './example-manifests.ts';

/** The objects that `kubectl kustomize` makes of a folder. Throws with its message when it cannot. */
export function renderKustomization(folder: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
    // Newer programs warn that the names of some fields are old.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return parseManifests(basename(folder), text);
}
