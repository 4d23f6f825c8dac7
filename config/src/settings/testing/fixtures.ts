import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A settings file of config/fixtures, for tests. */
export interface Fixture {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** The variables from the lines `# env: NAME=value` of the file. */
  readonly env: Readonly<Record<string, string>>;
  /** The problems that the file must cause, from its lines `# expect: …`. They have no file name. */
  readonly expected: readonly string[];
}

const ROOT = fileURLToPath(new URL('../../../fixtures/', import.meta.url));

export function readFixtures(kind: 'good' | 'bad'): readonly Fixture[] {
  return readdirSync(ROOT + kind)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => {
      const path = `${ROOT}${kind}/${name}`;
      const text = readFileSync(path, 'utf8');
      return {
        name,
        path,
        text,
        env: Object.fromEntries(
          comments(text, 'env').map((line) => [
            line.slice(0, line.indexOf('=')),
            line.slice(line.indexOf('=') + 1),
          ]),
        ),
        expected: comments(text, 'expect'),
      };
    });
}

function comments(text: string, tag: string): string[] {
  const prefix = `# ${tag}: `;
  return text
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length));
}
