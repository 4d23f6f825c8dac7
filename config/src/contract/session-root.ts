/** The length of the part of a UUID that is the same in all values of one session. */
const ROOT_LENGTH = 18;

/**
 * The common part of all values of one session: the value of `_guard` changes every 15 minutes. Accepts a value or a
 * root, in lower case.
 */
export function sessionRoot(value: string): string {
  return value.length > ROOT_LENGTH ? value.slice(0, ROOT_LENGTH) : value;
}
