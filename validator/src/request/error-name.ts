/** The name of an error for a log line. The message is not logged, because it can quote the request. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
