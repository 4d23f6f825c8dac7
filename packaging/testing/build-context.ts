import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

/**
 * What a builder is sent of a folder: its files, without those that .dockerignore excludes. As Docker
 * has it, a later line overrules an earlier one, and a folder stands for everything in it.
 */
export function contextFiles(root: string): readonly string[] {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isSent = (file: string): boolean =>
    lines.reduce((sent, line) => {
      const pattern = line.replace(/^!/, '');
      const holds = matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`);
      return holds ? line.startsWith('!') : sent;
    }, true);
  return globSync('**/*', {
    cwd: root,
    withFileTypes: true,
    // Only to be quick: .dockerignore excludes it as well.
    exclude: (entry) => entry.name === 'node_modules' || entry.name === '.git',
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter(isSent);
}
