/**
 * Makes the files of a release: `npm run release -- [--image] [--into FOLDER] [--json]`. The folder `release/` gets the
 * tarball for npm, its list of parts (CycloneDX), the notes, both images (with `--image`), and SHA256SUMS. Two runs
 * with the same files make the same tarball. Ends with 1 when an image has a problem, and with 2 when FOLDER is not
 * empty.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { notesOf } from './release/notes.ts';
import { stagePackage } from './release/stage-package.ts';

const ROOT = join(import.meta.dirname, '..');
const RELEASE = join(ROOT, 'release');
const { values } = parseArgs({
  options: {
    image: { type: 'boolean', default: false },
    into: { type: 'string', default: RELEASE },
    json: { type: 'boolean', default: false },
  },
});
const into = resolve(values.into);
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
}; // npm checks the form of this manifest

// The default folder is replaced. Files in another folder belong to the user.
if (values.into === RELEASE) rmSync(RELEASE, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
const [lies] = readdirSync(into);
if (lies !== undefined) {
  console.error(`${into} contains ${lies}; --into needs an empty or new folder.`);
  process.exit(2);
}
const temporary = mkdtempSync(join(tmpdir(), 'guard-release-'));
// npm uses the name of the folder as the name of the package in the list of parts.
const stage = join(temporary, name);
try {
  mkdirSync(stage);
  await stagePackage(ROOT, stage);
  // npm always writes the files with the same dates, with the same modes and in the same order.
  npm(['pack', '--ignore-scripts', '--pack-destination', into]);
  const parts = npm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']);
  writeFileSync(join(into, `${name}-${version}.cdx.json`), parts);
} finally {
  rmSync(temporary, { recursive: true });
}
const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
writeFileSync(join(into, 'NOTES.md'), notesOf(changelog, version));
if (values.image) {
  const script = join(import.meta.dirname, 'image.ts');
  const build = spawnSync(process.execPath, [script, '--save', into], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) {
    console.error('The images have a problem or are missing; the tarball is complete.');
    process.exitCode = 1;
  }
}

const files = [];
for (const file of readdirSync(into).toSorted()) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(into, file)), hash);
  files.push({ file, bytes: statSync(join(into, file)).size, sha256: hash.digest('hex') });
}
const sums = files.map(({ file, sha256 }) => `${sha256}  ${file}\n`);
writeFileSync(join(into, 'SHA256SUMS'), sums.join(''));
if (values.json) console.log(JSON.stringify({ version, folder: into, files }, undefined, 2));
else for (const { file, bytes } of files) console.log(`${file}: ${(bytes / 1e6).toFixed(1)} MB`);

function npm(args: readonly string[]): string {
  return execFileSync('npm', args, { cwd: stage, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
}
