/** Writes a text and a line end to the terminal: results to stdout, errors to stderr. */
export function print(text: string, stream: 'result' | 'error' = 'result'): void {
  (stream === 'result' ? process.stdout : process.stderr).write(`${text}\n`);
}

/** Prints that a command was called wrongly, and returns the exit code for it. */
export function calledWrongly(command: string, message: string): 2 {
  print(`guard ${command}: ${message}\nguard ${command} --help shows how it is called.`, 'error');
  return 2;
}
