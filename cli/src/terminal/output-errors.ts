import { print } from './terminal.ts';

/**
 * Handles errors of stdout and stderr. Without a handler Node ends the process with a stack trace. A reader
 * that closes the pipe, such as `| head`, is no error. At a full disk a command exits with 1, since a part of
 * a result must not look complete. A service goes on: its visitors matter more than its log.
 */
export function handleOutputErrors(isService: boolean): void {
  const handle = isService ? goOn : endUnlessReaderLeft;
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', goOn).off('error', endUnlessReaderLeft).on('error', handle);
  }
}

function goOn(): void {
  // Lost log lines are counted where the log is written.
}

function endUnlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  print(`guard: the output cannot be written: ${error.message}`, 'error');
  // At once: when stderr is full, the line above fails in the same way.
  process.exit(1);
}
