import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSentFiles } from '../scripts/release/sent-files.ts';

/** These tests check only the files of the image. `npm run image` builds and runs the image. */

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const dockerfile = read('packaging/Dockerfile');
/** The paths of the repository that the Dockerfile copies. */
const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
  sources.split(' '),
);

const ignored = read('.dockerignore').split('\n');
const { kept, isSent } = readSentFiles(ROOT);

/** The files that Docker sends to the builder. */
const sent = new Set(
  kept
    .flatMap((path) => [
      path,
      ...globSync(`${path}/**/*.*`, { cwd: ROOT, exclude: ['**/node_modules'] }),
    ])
    .filter(isSent),
);

describe('the Dockerfile', () => {
  test('runs as a numeric user that is not root, and stops with SIGTERM', () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).not.toMatch(/curl|wget|apt-get|https?:/);
  });

  test('runs no scripts of packages, and installs exactly the lock file', () => {
    const installs = dockerfile.match(/^RUN npm .*$/gm) ?? [];
    expect(installs).toHaveLength(3);
    for (const line of installs) expect(line).toMatch(/^RUN npm ci .*--ignore-scripts/);
  });

  test('copies existing files, and .dockerignore keeps exactly these files', () => {
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const isIn = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`);
    expect(copied.filter((path) => !kept.some((one) => isIn(path, one)))).toEqual([]);
    expect(kept.filter((path) => !copied.includes(path))).toEqual([]);
    expect(ignored.indexOf('*')).toBeLessThan(ignored.indexOf(`!${kept[0] ?? ''}`));
  });

  test('has the manifest of each package that it copies', () => {
    const manifests = copied.filter((path) => path.endsWith('/package.json')).map(dirname);
    const packages = copied.filter((path) => existsSync(join(ROOT, path, 'package.json')));
    expect(manifests.toSorted()).toEqual([...new Set(packages)].toSorted());
  });
});

describe('the files for the builder', () => {
  test('have no tests, secrets or files of other users', () => {
    expect(
      [...sent].filter((file) => /\.test\.ts$|\/test-|node_modules|(^|\/)\.env/.test(file)),
    ).toEqual([]);
    expect([...sent].filter((file) => /\/(?:testing|fixtures|dist)\//.test(file))).toEqual([]);
    expect(sent.size).toBeGreaterThan(400);
  });

  test('include each file that one of them imports', () => {
    const missing = [...sent]
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...read(file).matchAll(/ from '(\.{1,2}\/[^']+)'/g)]
          .map(([, path = '']) => join(dirname(file), path))
          .filter((path) => !sent.has(path))
          .map((path) => `${file} imports ${path}`),
      );
    expect(missing).toEqual([]);
  });
});
