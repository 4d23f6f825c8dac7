import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface GitOrigin {
  readonly url: string;
  /** The URL path of a repository. Its only commit contains {@link COMMITTED_FILE}. */
  readonly repository: string;
  /** Method, path and query of every request that reached the origin, in order. */
  readonly arrivals: string[];
  close(): Promise<void>;
}

export const COMMITTED_FILE = 'README';
/** The file is so large that git sends more than one chunk. */
export const COMMITTED_TEXT = Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`).join(
  '',
);

/** The environment in which git runs without the settings of the machine or of a surrounding repository. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@shop.example',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@shop.example',
};

/** Starts a site with git's own CGI program, for reading and writing a repository. */
export async function startGitOrigin(): Promise<GitOrigin> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-git-'));
  const repository = '/ada/engine.git';
  createRepository(join(folder, repository));
  const arrivals: string[] = [];
  const server = createServer((request, response) => {
    arrivals.push(`${request.method} ${request.url}`);
    answerByCgi(request, response, folder);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    repository,
    arrivals,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function createRepository(path: string): void {
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', args, { env: GIT_ENV, input, stdio: ['pipe', 'pipe', 'ignore'] })
      .toString()
      .trim();
  git(['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const inside = ['--git-dir', path];
  git([...inside, 'config', 'http.receivepack', 'true']);
  const blob = git([...inside, 'hash-object', '-w', '--stdin'], COMMITTED_TEXT);
  const tree = git([...inside, 'mktree'], `100644 blob ${blob}\t${COMMITTED_FILE}\n`);
  const commit = git([...inside, 'commit-tree', tree, '-m', 'Begin']);
  git([...inside, 'update-ref', 'refs/heads/main', commit]);
}

/**
 * By RFC 3875, the program gets the request in its environment and on stdin, and writes the answer, with its header
 * fields first, to stdout.
 */
function answerByCgi(request: IncomingMessage, response: ServerResponse, folder: string): void {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const field = (name: string) => String(request.headers[name] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...GIT_ENV,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: field('git-protocol'),
      REQUEST_METHOD: request.method ?? '',
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: field('content-type'),
      CONTENT_LENGTH: field('content-length'),
      HTTP_CONTENT_ENCODING: field('content-encoding'),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  // When the program refuses a request, it ends without reading the body.
  child.stdin.on('error', () => undefined);
  relayAnswer(child, response);
}

function relayAnswer({ stdout }: ChildProcess, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  stdout?.on('data', (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    let status = 200;
    for (const line of head.subarray(0, end).toString('latin1').split('\r\n')) {
      const [name = '', value = ''] = line.split(': ', 2);
      if (name === 'Status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
  });
  stdout?.on('end', () => response.end());
}
