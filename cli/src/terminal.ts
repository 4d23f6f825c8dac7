/** Writes a text and a line end to the terminal: results to stdout, errors to stderr. */
export function print(text: string, stream: 'result' | 'error' = 'result'): void {
  (stream === 'result' ? process.stdout : process.stderr).write(`${text}\n`);
}
