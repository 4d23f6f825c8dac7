import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { freePort } from '../test/kit/free-port.ts';
import { poll, send } from '../test/kit/http.ts';
import { startRecordingOrigin } from '../test/kit/origins/recording-origin.ts';
import { ANALYTICS_KEY, productSettings } from '../test/kit/product/product-settings.ts';
import { curl } from '../test/kit/visitors/visitors.ts';

export interface Tried {
  /** The time from the start to the first good health check. */
  readonly readyS: number;
  /** The sizes of the root file system and of Guard's folder in it. */
  readonly megabytes: { readonly image: number; readonly guard: number };
  /** The problems, each as a sentence. Empty when there is no problem. */
  readonly problems: readonly string[];
}

const Inspected = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string().regex(/^\d+:\d+$/),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
    }),
  }),
});

/** Runs buildah and returns its output. Throws when buildah fails. */
export function buildah(...args: readonly string[]): string {
  return execFileSync('buildah', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

/**
 * Runs an image as its own user without capabilities, sends requests of a visitor and an analyst, and ends the
 * container.
 */
export async function tryImage(image: string, embedded: boolean): Promise<Tried> {
  const { config } = Inspected.parse(
    JSON.parse(buildah('inspect', '--type', 'image', image)),
  ).Docker;
  const [uid = 0, gid = 0] = config.User.split(':').map(Number);
  const folder = mkdtempSync(join(tmpdir(), 'guard-image-'));
  const container = buildah('from', image);
  const root = buildah('mount', container);
  const origin = await startRecordingOrigin();
  const ports = { gateway: await freePort(), api: await freePort(), admin: await freePort() };
  let log = '';
  let guard: ChildProcess | undefined;
  try {
    for (const name of ['etc', 'data']) mkdirSync(join(folder, name));
    chownSync(join(folder, 'data'), uid, gid);
    writeFileSync(join(folder, 'etc/guard.yaml'), stringify(settings()));
    const megabytes = { image: megabytesOf(root), guard: megabytesOf(join(root, 'opt/guard')) };
    const filesBefore = filesOf(root);

    const began = performance.now();
    guard = runInImage([...config.Entrypoint, ...config.Cmd]);
    guard.stderr?.setEncoding('utf8').on('data', (part: string) => (log += part));
    const running = guard;
    await poll(health, (code) => code === 0 || running.exitCode !== null, 120_000);
    const readyS = Math.round((performance.now() - began) / 100) / 10;
    const problems = [...(await answers()), ...(await end(guard))];
    const newFiles = filesOf(root).filter((file) => !filesBefore.includes(file));
    problems.push(...newFiles.map((file) => `It wrote outside of its data folder: ${file}`));
    problems.push(...log.split('\n').filter((line) => line.includes('"level":"error"')));
    return { readyS, megabytes, problems };
  } finally {
    if (guard?.pid !== undefined && guard.exitCode === null)
      process.kill(programOf(guard.pid), 'SIGKILL');
    await origin.close();
    buildah('rm', container);
    rmSync(folder, { recursive: true });
  }

  function settings(): Record<string, unknown> {
    const listen = Object.fromEntries(
      Object.entries(ports).map(([service, port]) => [service, `127.0.0.1:${port}`]),
    );
    const analytics = embedded
      ? { engine: 'embedded', path: '/var/lib/guard/analytics' }
      : undefined;
    const store = { engine: 'memory', path: '/var/lib/guard/sessions' };
    return productSettings(origin.url, { top: { listen, analytics, store } });
  }

  /** Runs a command as the user of the image, with the network of this machine. */
  function runInImage(words: readonly string[]): ChildProcess {
    const volumes = [`${folder}/etc:/etc/guard:ro`, `${folder}/data:/var/lib/guard`];
    return spawn(
      'buildah',
      [
        ...['run', '--isolation', 'chroot', '--cap-drop', 'all'],
        ...volumes.flatMap((volume) => ['--volume', volume]),
        ...['--env', `GUARD_READY_URL=http://127.0.0.1:${ports.admin}/ready`],
        ...[container, '--', ...words],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
  }

  async function health(): Promise<unknown> {
    const check = runInImage(config.Healthcheck.Test.slice(1));
    const [code] = (await once(check, 'exit')) as unknown[];
    return code;
  }

  async function answers(): Promise<string[]> {
    const problems = [];
    const headers = { ...curl, host: 'shop.example' };
    const { status, body } = await send(`http://127.0.0.1:${ports.gateway}/`, { headers });
    if (status !== 403 || !body.includes('<script nonce=') || origin.arrivals.length > 0) {
      problems.push(`It does not challenge a script, but answers ${status}.`);
    }
    // The programs of the challenge page are built after the first request for a page.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    if (embedded) {
      const ask = () =>
        send(`http://127.0.0.1:${ports.api}/query`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ANALYTICS_KEY}` },
          body: 'SELECT count() FROM events_distributed',
        });
      await poll(ask, (answer) => answer.body.trim() === '1', 60_000);
    }
    return problems;
  }

  async function end(running: ChildProcess): Promise<string[]> {
    const exit = once(running, 'exit');
    process.kill(programOf(running.pid ?? 0), 'SIGTERM');
    const [code] = (await exit) as unknown[];
    const problems = code === 0 ? [] : [`It ends on SIGTERM with ${String(code)}.`];
    if ((await health()) === 0) problems.push('It is healthy when it has ended.');
    return problems;
  }
}

/** The signal goes to the process inside the image, because `buildah run` does not pass on signals. */
function programOf(pid: number): number {
  if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('buildah')) return pid;
  return programOf(Number(execFileSync('pgrep', ['--parent', String(pid)], { encoding: 'utf8' })));
}

function megabytesOf(folder: string): number {
  const [kilobytes = ''] = execFileSync('du', ['-skx', folder], { encoding: 'utf8' }).split('\t');
  return Math.round(Number(kilobytes) / 1_024);
}

/** Returns every file with its size and time, to find the files that a run has changed. */
function filesOf(root: string): readonly string[] {
  return globSync('**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const { size, mtimeMs } = statSync(join(parentPath, name));
      return `${join(parentPath, name).slice(root.length)} ${size} ${mtimeMs}`;
    });
}
