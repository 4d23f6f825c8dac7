import type { Site } from '@guard/config/settings/schema';
import { compileSecretNames, type SecretNames } from './secret-names.ts';

/** How a site samples the bodies of its requests. */
export interface Sampling {
  readonly maxBytes: number;
  readonly names: SecretNames;
}

/** Undefined for a site that samples none. */
export function compileSampling({
  sample_body: maxBytes,
  sample_without: names,
}: Site): Sampling | undefined {
  return maxBytes === 0 ? undefined : { maxBytes, names: compileSecretNames(names) };
}
