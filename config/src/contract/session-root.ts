/** A UUID up to the bits that change with each value of one session. */
const ROOT_LENGTH = 18;

/**
 * The common part of all values of one session: `_guard` changes every 15 minutes. Accepts a value or a root, in
 * lower case.
 */
export function sessionRoot(value: string): string {
  return value.length > ROOT_LENGTH ? value.slice(0, ROOT_LENGTH) : value;
}
