/** node eval/measure/run.ts: requests a page from a recording server with every HTTP client of this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { type Client, clients } from './clients.ts';
import { type Recorded, startRecorder } from './recorder.ts';

const CLIENT_TIMEOUT_MS = 40_000;

/** An environment without the settings of this machine: no proxy, and no configuration of the clients. */
const env = {
  PATH: process.env['PATH'] ?? '',
  LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] ?? '',
  GOROOT: process.env['GOROOT'] ?? '',
  RUBYLIB: process.env['RUBYLIB'] ?? '',
  PERL5LIB: process.env['PERL5LIB'] ?? '',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  NO_PROXY: '*',
  no_proxy: '*',
};

interface Measured extends Recorded {
  readonly client: string;
  readonly version: string;
}

const recorder = await startRecorder();
const measured: Measured[] = [];
const absent: string[] = [];
for (const client of clients) {
  await ask(client, client.http2 ? recorder.http2 : recorder.http1);
  const recorded = recorder.take();
  if (recorded === undefined) absent.push(client.name);
  else measured.push({ client: client.name, version: versionOf(client), ...stripped(recorded) });
  process.stderr.write(`${recorded === undefined ? '-' : '+'} ${client.name}\n`);
}
recorder.close();

const file = join(import.meta.dirname, '..', 'corpus', 'http-clients.json');
const day = new Date().toISOString().slice(0, 10);
writeFileSync(file, `${JSON.stringify({ measured: day, clients: measured }, undefined, 2)}\n`);
console.log(`${measured.length} measured, not here: ${absent.join(', ') || 'none'}`);

/** Runs one client to its end. Its exit code is ignored, because only its request is needed. */
function ask({ command, args }: Client, url: string): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, args(`${url}/`), { env, stdio: 'ignore', cwd: '/tmp' });
    const timer = setTimeout(() => child.kill('SIGKILL'), CLIENT_TIMEOUT_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    child.on('error', done).on('exit', done);
  });
}

function versionOf({ command, version }: Client): string {
  const { stdout, stderr } = spawnSync(command, version ?? ['--version'], {
    env,
    encoding: 'utf8',
    timeout: CLIENT_TIMEOUT_MS,
  });
  return (stdout || stderr).trim().split('\n', 1)[0] ?? '';
}

/**
 * Replaces the address of the recorder and the kernel version of this machine, because they say nothing about the
 * client.
 */
function stripped(recorded: Recorded): Recorded {
  const headers = recorded.headers.map(([name, value]) => {
    const plain = value.replaceAll(release(), '6.1.0');
    return [name, name.toLowerCase() === 'host' ? 'shop.example' : plain] as const;
  });
  return { ...recorded, headers };
}
