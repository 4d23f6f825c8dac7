import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { freePort } from '../test/kit/free-port.ts';
import { poll, send } from '../test/kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../test/kit/recording-origin.ts';
import { isFullLength } from '../test/kit/seeded-random.ts';
import { ANALYTICS_KEY, storySettings } from '../test/kit/story-settings.ts';
import { curl } from '../test/kit/visitors.ts';
import { contextFiles } from './testing/build-context.ts';
import { type BuiltFolder, buildFolder, listTree } from './testing/build-folder.ts';
import { execForm, type Instruction, readDockerfile } from './testing/read-dockerfile.ts';

const ROOT = join(import.meta.dirname, '..');
const text = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8');
const stages = readDockerfile(text);
const final = stages.find(({ name }) => name === 'files')?.instructions ?? [];
const only = (name: string): Instruction | undefined => {
  const found = final.filter((instruction) => instruction.name === name);
  expect(found).toHaveLength(1);
  return found[0];
};

const BUILD_MS = 300_000;
/** User and group of the image. */
const UID = 10001;
/** Unpacking the database takes a minute and a gigabyte, so only at full length. */
const TARGETS = isFullLength ? ['slim', 'with-analytics'] : ['slim'];

describe('the Dockerfile', () => {
  test('has nothing that a linter finds', () => {
    expect(validate(text)).toEqual([]);
    expect(validate(text.replace('USER 10001', 'USRE 10001'))).not.toEqual([]);
  });

  test('runs as a number that is not root, and is told to end as systemd and Kubernetes do it', () => {
    expect(only('USER')?.rest).toBe(`${UID}:${UID}`);
    expect(only('STOPSIGNAL')?.rest).toBe('SIGTERM');
    expect(execForm(only('HEALTHCHECK') ?? { name: '', flags: {}, rest: '[]' })[0]).toBe('node');
    expect(text).not.toMatch(/curl|wget|apt-get|https?:/);
  });

  test('lets no package run a script, and takes exactly what the lock file says', () => {
    const installs = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ rest }) => rest.startsWith('npm '));
    expect(installs).toHaveLength(3);
    for (const { rest } of installs) expect(rest).toMatch(/^npm ci .*--ignore-scripts/);
  });

  test('names every workspace that runs, and .dockerignore keeps tests and secrets from it', () => {
    const sent = contextFiles(ROOT);
    expect(
      sent.filter((file) => /\.test\.ts$|node_modules|(^|\/)\.env|\.git\//.test(file)),
    ).toEqual([]);
    expect(sent).toContain('config/src/settings/schema.ts');
    expect(sent.filter((file) => file.startsWith('data/') || file.startsWith('test/'))).toEqual([]);
  });
});

describe.each(TARGETS)('the target %s, its COPY and npm lines carried out here', (target) => {
  let folder = '';
  let image: BuiltFolder;
  let origin: RecordingOrigin;
  let before: readonly string[];
  let child: ChildProcess;
  let log = '';
  const at = { gateway: 0, api: 0, admin: 0 };
  const embedded = target === 'with-analytics';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guard-image-'));
    await chmod(folder, 0o755);
    image = await buildFolder({ dockerfile: text, context: ROOT, target, into: folder });
    origin = await startRecordingOrigin();
    for (const service of ['gateway', 'api', 'admin'] as const) at[service] = await freePort();
    await mkdir(join(image.root, 'etc/guard'), { recursive: true });
    await writeFile(join(image.root, 'etc/guard/guard.yaml'), stringify(settings()));
    const writable = [join(folder, 'data'), join(folder, 'tmp')];
    for (const path of writable) {
      await mkdir(path);
      if (process.getuid?.() === 0) await chown(path, UID, UID);
    }
    before = await listTree(image.root);
    child = asUser(startCommand());
    child.stderr?.setEncoding('utf8').on('data', (part: string) => (log += part));
  }, BUILD_MS);

  afterAll(async () => {
    child.kill('SIGKILL');
    await origin.close();
    await rm(folder, { recursive: true, force: true });
  });

  function settings(): Record<string, unknown> {
    const listen = Object.fromEntries(
      Object.entries(at).map(([service, port]) => [service, `127.0.0.1:${port}`]),
    );
    const analytics = embedded
      ? { engine: 'embedded', path: join(folder, 'data', 'analytics') }
      : undefined;
    const store = { engine: 'memory', path: join(folder, 'data', 'sessions') };
    return storySettings(origin.url, { top: { listen, analytics, store } });
  }

  function command(name: string): readonly string[] {
    const instruction = image.last.get(name);
    if (!instruction) throw new Error(`no ${name}`);
    return execForm(instruction);
  }

  function startCommand(): readonly string[] {
    return [...command('ENTRYPOINT'), ...command('CMD')];
  }

  /** As the image's user, without privileges, with the paths of the image inside of its folder. */
  function asUser(words: readonly string[]): ChildProcess {
    const [, ...args] = words.map((word) => (word.startsWith('/') ? join(image.root, word) : word));
    const drop = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--no-new-privs'];
    const asRoot = process.getuid?.() === 0;
    const program = asRoot ? 'setpriv' : process.execPath;
    const privileges = asRoot ? [...drop, '--bounding-set=-all', process.execPath] : [];
    return spawn(program, [...privileges, ...args], {
      cwd: join(image.root, 'opt/guard'),
      env: {
        PATH: process.env['PATH'],
        // In an image the code is root's, so compiled code cannot be kept beside it.
        ...(asRoot ? {} : { NODE_DISABLE_COMPILE_CACHE: '1' }),
        NODE_ENV: 'production',
        TMPDIR: join(folder, 'tmp'),
        GUARD_READY_URL: `http://127.0.0.1:${at.admin}/ready`,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  const health = async (): Promise<number | null> => {
    const check = asUser(command('HEALTHCHECK'));
    await once(check, 'exit');
    return check.exitCode;
  };

  test('is healthy by its own HEALTHCHECK within a minute', async () => {
    const isUp = (code: number | null) => code === 0 || child.exitCode !== null;
    await poll(health, isUp, 60_000);
    expect(child.exitCode).toBeNull();
    expect(log).not.toMatch(/"level":"error"|runs_as_root/);
  }, 70_000);

  test('contract 3: challenges a script, with the page that was bundled in the build', async () => {
    const answer = await send(`http://127.0.0.1:${at.gateway}/`, {
      headers: { ...curl, host: 'shop.example' },
    });
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('<script nonce=');
    expect(origin.arrivals).toHaveLength(0);
  });

  if (embedded) {
    test('contract 4.3: has the decision in its database', async () => {
      const ask = () =>
        send(`http://127.0.0.1:${at.api}/query`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ANALYTICS_KEY}` },
          body: 'SELECT count() FROM events_distributed',
        });
      const { body } = await poll(ask, (answer) => answer.body.trim() === '1', 20_000);
      expect(body.trim()).toBe('1');
    });
  }

  test('ends on SIGTERM with 0, and its health check then fails', async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    expect(await health()).toBe(1);
  });

  test('has written to its data folder, and nowhere else: the rest can be read-only', async () => {
    expect(await readdir(join(folder, 'data'))).toContain('sessions');
    expect(await listTree(image.root)).toEqual(before);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  test('holds no tool of the development, and only the commands for the base image were not run', async () => {
    const packages = await readdir(join(image.root, 'opt/guard/node_modules'));
    for (const tool of ['vitest', 'typescript', 'eslint', 'playwright-core']) {
      expect(packages).not.toContain(tool);
    }
    expect(packages.includes('chdb')).toBe(embedded);
    expect(image.notRun).toHaveLength(1);
    expect(image.notRun[0]).toMatch(/^rm -rf \/usr\/local\/lib\/node_modules .* install -d /);
  });
});
