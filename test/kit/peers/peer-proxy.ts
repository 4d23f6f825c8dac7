import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { type ListeningProgram, startListening } from '../listening-program.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples', 'forward-auth');

/** How a proxy starts with its file of examples/forward-auth/. */
interface Program {
  readonly file: string;
  readonly command: (folder: string) => readonly [string, ...string[]];
  /** Configuration lines for a test: a log, no privileges, and no files outside the folder of the proxy. */
  readonly adapt: (config: string, folder: string) => string;
}

const PROGRAMS = {
  nginx: {
    file: 'nginx.conf',
    command: (folder) => ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')],
    adapt: (config, folder) => {
      const tempPathLines = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join(' ');
      const http = `http { access_log off; error_log stderr; ${tempPathLines}`;
      const main = `daemon off; pid ${folder}/nginx.pid; user root;`;
      return `${main}\n${config.replace(/^http \{/m, http)}`;
    },
  },
  haproxy: {
    file: 'haproxy.cfg',
    command: (folder) => ['haproxy', '-db', '-C', folder, '-f', join(folder, 'haproxy.cfg')],
    adapt: (config) => config,
  },
  caddy: {
    file: 'Caddyfile',
    command: (folder) => [
      'caddy',
      'run',
      '--adapter',
      'caddyfile',
      '--config',
      join(folder, 'Caddyfile'),
    ],
    adapt: (config) => `{\n\tadmin off\n}\n${config}`,
  },
} as const satisfies Record<string, Program>;

export type PeerProxy = keyof typeof PROGRAMS;

/** The addresses in the files of examples/forward-auth/, and the addresses of a test in their place. */
interface Places {
  /** The URL of `listen.forward_auth`. */
  readonly guard: string;
  readonly site: string;
}

export interface RunningProxy extends ListeningProgram {
  readonly url: string;
}

/**
 * Starts a proxy with its example and the addresses of a test. Resolves when the proxy accepts connections. `edit`
 * changes the file as a user would.
 */
export async function startPeer(
  name: PeerProxy,
  { guard, site }: Places,
  edit: (config: string) => string = (config) => config,
): Promise<RunningProxy> {
  const program: Program = PROGRAMS[name];
  const folder = await mkdtemp(join(tmpdir(), `guard-${name}-`));
  const port = await freePort();
  for (const file of await readdir(EXAMPLES)) {
    const config = (await readFile(join(EXAMPLES, file), 'utf8'))
      .replaceAll('127.0.0.1:8085', guard.replace('http://', ''))
      .replaceAll('127.0.0.1:3000', site.replace('http://', ''))
      .replaceAll('listen 8080', `listen 127.0.0.1:${port}`)
      .replaceAll('bind :8080', `bind 127.0.0.1:${port}`)
      .replaceAll(
        'http://shop.example:8080',
        `http://shop.example:${port}, http://127.0.0.1:${port}`,
      );
    await writeFile(
      join(folder, file),
      file === program.file ? program.adapt(edit(config), folder) : config,
    );
  }
  const running = await startListening(program.command(folder), port, folder);
  return { ...running, url: `http://127.0.0.1:${port}` };
}
