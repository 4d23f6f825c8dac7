/** A longer header value is cut to this length, in UTF-16 code units. */
const MAX_HEADER_CHARS = 1024;

/** The first value of a header, limited in length. Empty when the header is missing. */
export function headerOf(value: string | string[] | undefined): string {
  return (typeof value === 'string' ? value : (value?.[0] ?? '')).slice(0, MAX_HEADER_CHARS);
}
