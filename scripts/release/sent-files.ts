import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

/** The files of the repository for an installation. The image and the tarball use the same list: `.dockerignore`. */
export interface SentFiles {
  /** Files and folders that are sent, in the order of the list. */
  readonly kept: readonly string[];
  /** Returns whether a path, relative to the repository, is sent. */
  readonly isSent: (path: string) => boolean;
}

/** Reads `.dockerignore`: `*`, then `!kept`, and `**` patterns for dropped files inside of kept folders. */
export function readSentFiles(root: string): SentFiles {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const keptPatterns = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const droppedPatterns = lines.filter((line) => line.startsWith('**/'));
  const isDropped = (path: string) =>
    droppedPatterns.some((one) => matchesGlob(path, one) || matchesGlob(path, `${one}/**`));
  const isKept = (path: string) => keptPatterns.some((one) => `${path}/`.startsWith(`${one}/`));
  return { kept: keptPatterns, isSent: (path) => isKept(path) && !isDropped(path) };
}
