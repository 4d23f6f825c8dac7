/** The kind of an error, for a log line. Not its message: that can quote what was sent. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
