import { escapeUnsafeInLines } from '@guard/config/contract/printable';

/** Longer reasons are cut, because some come from other programs. */
const MAX_REASON_LENGTH = 2_000;

/** Writes a text and a line end to the terminal: results to stdout, errors to stderr. */
export function print(text: string, stream: 'result' | 'error' = 'result'): void {
  (stream === 'result' ? process.stdout : process.stderr).write(`${text}\n`);
}

/** Prints the mistake of a wrong call, and returns the exit code for it. */
export function reportWrongCall(command: string, message: string): 2 {
  print(`guard ${command}: ${message}\nguard ${command} --help shows the usage.`, 'error');
  return 2;
}

/** Prints why a command failed, and returns the exit code for it. */
export function reportFailure(command: string, why: string): 1 {
  print(`guard ${command}: ${escapeUnsafeInLines(why.slice(0, MAX_REASON_LENGTH))}`, 'error');
  return 1;
}
