import type { ValidateRequest } from '@guard/config/contract/validate-request';

/** One request to be judged. */
export interface Case {
  /** The name of the sender, for the list of wrong judgements. */
  readonly about: string;
  readonly request: ValidateRequest;
  /** The client or crawler. All cases of one client or crawler are in the same half of the corpus. */
  readonly unit: string;
}

/** Header names in lower case, as in HTTP/2 and in the gateway's questions. */
export function lowerCased(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const [name, value] of headers) lower[name.toLowerCase()] = value;
  return lower;
}
