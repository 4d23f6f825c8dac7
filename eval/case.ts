import type { ValidateRequest } from '@guard/config/contract/validate-request';

/** One request to be judged. */
export interface Case {
  /** Who sent it, for the list of those that were judged wrongly. */
  readonly about: string;
  readonly request: ValidateRequest;
  /** Cases of one unit lie in the same half of the corpus: one client, one crawler. */
  readonly unit: string;
}

/** Header names in lower case, as they go over HTTP/2 and as the gateway describes them. */
export function lowerCased(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const [name, value] of headers) lower[name.toLowerCase()] = value;
  return lower;
}
