import { print } from './terminal.ts';

/**
 * Handles errors of stdout and stderr. Without a handler Node ends the process with a stack trace. A reader that closes
 * the pipe, such as `| head`, is not an error. On a full disk a command exits with 1, because a partial result must not
 * look complete. A service continues, because visitors are more important than the log.
 */
export function handleOutputErrors(isService: boolean): void {
  const handle = isService ? goOn : endUnlessReaderLeft;
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', goOn).off('error', endUnlessReaderLeft).on('error', handle);
  }
}

function goOn(): void {
  // Does nothing for a service, because the log itself counts lost lines.
}

function endUnlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  print(`guard: the output cannot be written: ${error.message}`, 'error');
  // Exits at once, because the line above fails in the same way when stderr is full.
  process.exit(1);
}
