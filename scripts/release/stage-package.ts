import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as dashboardBuild from '@guard/dashboard/build';
import type * as validatorBuild from '@guard/validator/build';
import { z } from 'zod';
import { copyLibrary } from './copy-library.ts';
import {
  exportsOf,
  Lock,
  Manifest,
  NodePackages,
  packManifests,
  resolveExport,
} from './packed-manifest.ts';
import { BROWSER_CODE, productionModules } from './production-modules.ts';
import { readSentFiles } from './sent-files.ts';

const ENTRY = 'bin/guard.mjs';
/** Files that the tarball has in addition to those of an image. */
const OTHER_FILES = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'packaging/systemd/guard.service'];
/** Files for building images. */
const FOR_IMAGES =
  /^(?:package-lock\.json|(?:.+\/)?package\.json|scripts\/.+|packaging\/health-check\.ts)$/;
/** Modules that both the server and the pages use. */
const SHARED_WITH_PAGES = /^(?:validator|dashboard)\/page-contract\//;

/**
 * Writes the content of the tarball into the empty folder `stage`: the files of an image that are in git, as JavaScript
 * with the same lines, the bundled pages, and manifests with fixed versions. Files that are not in git are left out.
 * Throws when a page cannot be bundled.
 */
export async function stagePackage(root: string, stage: string): Promise<void> {
  const readManifest = (file: string): unknown =>
    JSON.parse(readFileSync(join(root, file), 'utf8'));
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(stage, file)), { recursive: true });
    writeFileSync(join(stage, file), text, { mode: file === ENTRY ? 0o755 : 0o644 });
  };
  const { kept, isSent } = readSentFiles(root);
  const workspaces = new Map(
    kept
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => [folder, Manifest.parse(readManifest(join(folder, 'package.json')))]),
  );
  const exportTargets = exportsOf(workspaces);
  const modules = productionModules(root, ENTRY, (name) => resolveExport(exportTargets, name));
  for (const [file, text] of modules) put(file, text);

  const trackedFiles = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  const isCopied = (file: string) =>
    !file.endsWith('.ts') || BROWSER_CODE.test(file) || SHARED_WITH_PAGES.test(file);
  const copiedFiles = trackedFiles
    .split('\0')
    .filter((file) => isSent(file) && !FOR_IMAGES.test(file) && isCopied(file))
    .filter((file) => !modules.has(file));
  for (const file of [...copiedFiles, ...OTHER_FILES]) cpSync(join(root, file), join(stage, file));

  const { bundled, manifest, parts } = packManifests({
    root: z.record(z.string(), z.unknown()).parse(readManifest('package.json')),
    workspaces,
    lock: Lock.parse(readManifest('package-lock.json')),
    nodePackages: NodePackages.parse(readManifest('packaging/node-packages.json')),
  });
  put('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
  // The file is for the list of parts. npm packs no file with this name.
  put('package-lock.json', `${JSON.stringify(parts, undefined, 2)}\n`);
  await bundlePages(root, stage);
  for (const library of bundled) copyLibrary(join(root, library), join(stage, library));
}

/** The code of the tarball bundles the pages, so that Guard accepts the pages as its own. */
async function bundlePages(root: string, stage: string): Promise<void> {
  const libraries = join(stage, 'node_modules');
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(stage, file)).href);
  symlinkSync(join(root, 'node_modules'), libraries);
  try {
    const validator = (await load('validator/browser/build.js')) as typeof validatorBuild;
    const dashboard = (await load('dashboard/build.js')) as typeof dashboardBuild;
    validator.buildBrowser();
    dashboard.buildPage();
  } finally {
    rmSync(libraries);
  }
}
