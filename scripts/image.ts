/**
 * Builds the targets of packaging/Dockerfile, runs each image and sends requests to it: `npm run image -- [--target
 * slim] [--save FOLDER] [--json]`. Needs root, and `apt-get install buildah mmdebstrap`. If the base image of Docker's
 * registry was pulled before, it is used. Else the base image is made of Debian's packages, the Node of package.json
 * and this machine's npm. Ends with 1 when a target has a problem. `--save` keeps each image as an OCI archive. Without
 * `--save` the images are removed, and only the base image is kept.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isOnPath } from '../test/kit/tools.ts';
import { buildah, tryImage } from './try-image.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCKERFILE = join(ROOT, 'packaging/Dockerfile');
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
}; // npm checks the form of this manifest
const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: ['slim', 'with-analytics'] },
    save: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
if (!['buildah', 'mmdebstrap'].every(isOnPath)) {
  console.error('apt-get install buildah mmdebstrap');
  process.exit(2);
}

makeBase();
const home = mkdtempSync(join(tmpdir(), 'guard-image-npm-'));
const reports = [];
try {
  const volumes = npmVolumes();
  for (const target of values.target) {
    const image = `guard-tried:${target}`;
    const began = performance.now();
    show('buildah', [
      ...['bud', '--isolation', 'chroot', '--format', 'docker', '--pull-never', ...volumes],
      ...['--file', DOCKERFILE, '--target', target, '--tag', image, ROOT],
    ]);
    const buildS = secondsSince(began);
    reports.push({ target, buildS, ...(await tryImage(image, target === 'with-analytics')) });
    if (values.save !== undefined) {
      const archive = join(values.save, `guard-${VERSION}-${target}.oci.tar`);
      show('buildah', ['push', image, `oci-archive:${archive}:guard:${VERSION}-${target}`]);
    }
    buildah('rmi', image);
  }
} finally {
  rmSync(home, { recursive: true });
}
if (values.json) console.log(JSON.stringify(reports, undefined, 2));
for (const { target, buildS, readyS, megabytes, problems } of values.json ? [] : reports) {
  const took = `built in ${buildS} s, ready in ${readyS} s`;
  console.log(`${target}: ${megabytes.image} MB, ${megabytes.guard} MB of it Guard; ${took}`);
  for (const problem of problems) console.log(`  PROBLEM ${problem}`);
}
process.exitCode = reports.some(({ problems }) => problems.length > 0) ? 1 : 0;

/** The image that the Dockerfile begins with. */
function makeBase(): void {
  const [, name = '', suite = ''] =
    /^FROM (node:[\d.]+-(\w+)-slim) /m.exec(readFileSync(DOCKERFILE, 'utf8')) ?? [];
  const image = `docker.io/library/${name}`;
  if (spawnSync('buildah', ['inspect', '--type', 'image', image]).status === 0) return;
  const container = buildah('from', 'scratch');
  try {
    const root = buildah('mount', container);
    const documentationFolders = ['doc', 'locale', 'man'].map(
      (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
    );
    // Docker's image has this library too: Node needs it.
    const library = '--include=libatomic1';
    show('mmdebstrap', ['--variant=minbase', library, ...documentationFolders, suite, root]);
    const usrLocal = join(root, 'usr/local');
    copyFileSync(join(ROOT, 'node_modules/node/bin/node'), join(usrLocal, 'bin/node'));
    const npm = join(npmSays('root', '--global'), 'npm');
    cpSync(npm, join(usrLocal, 'lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(usrLocal, 'bin/npm'));
    buildah('commit', container, image);
  } finally {
    buildah('rm', container);
  }
}

/**
 * The registry, certificates and cache of this machine for npm in the build. They are mounted on an existing folder of
 * the base image, so they do not become part of the image.
 */
function npmVolumes(): readonly string[] {
  const userConfig = npmSays('config', 'get', 'userconfig');
  const lines = [existsSync(userConfig) ? readFileSync(userConfig, 'utf8') : ''];
  lines.push(`registry=${npmSays('config', 'get', 'registry')}`);
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  if (authorities !== undefined) {
    copyFileSync(authorities, join(home, 'authorities.pem'));
    lines.push('cafile=/root/authorities.pem');
  }
  writeFileSync(join(home, '.npmrc'), lines.join('\n'), { mode: 0o600 });
  mkdirSync(join(home, '.npm'));
  const cache = npmSays('config', 'get', 'cache');
  return ['--volume', `${home}:/root`, '--volume', `${cache}:/root/.npm`];
}

function npmSays(...args: readonly string[]): string {
  return execFileSync('npm', args, { encoding: 'utf8' }).trim();
}

/** Runs a program, with its output on standard error. Throws when it fails. */
function show(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', process.stderr, 'inherit'] });
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 1_000);
}
