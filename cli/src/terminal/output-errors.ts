import { print } from './terminal.ts';

/**
 * Says what becomes of a command whose output cannot be written; unsaid, Node ends it with a stack. A reader
 * that has left, as `| head` does, has what it wanted. Where a disk is full a command ends with 1, for part of a
 * result must not pass for the whole; a service goes on, for its log is not worth its visitors.
 */
export function handleOutputErrors(isService: boolean): void {
  const handle = isService ? goOn : endUnlessReaderLeft;
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', goOn).off('error', endUnlessReaderLeft).on('error', handle);
  }
}

function goOn(): void {
  // What was lost of the log is counted where the log is made.
}

function endUnlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  print(`guard: the output cannot be written: ${error.message}`, 'error');
  // At once: the line above fails in the same way where stderr is what is full.
  process.exit(1);
}
