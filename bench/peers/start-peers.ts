import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { isOnPath } from '../../test/kit/tools.ts';
import { startScriptOn, startProgramOn } from '../measure/processes.ts';
import type { Workbench } from '../measure/workbench.ts';
import { caddyfile } from './caddy.ts';
import { haproxyConfig } from './haproxy.ts';
import { nginxConfig } from './nginx.ts';
import type { Places, TlsFiles } from './places.ts';

/** The programs that Guard is compared with. The rows of the result have these names. */
export const PEERS = {
  httpProxy3: 'http-proxy-3, keep-alive agent',
  nginx: 'nginx, plain proxy',
  haproxy: 'haproxy, plain proxy',
  nginxAuth: 'nginx auth_request to a Node service',
  caddyAuth: 'Caddy forward_auth to a Node service',
} as const;
export type PeerName = (typeof PEERS)[keyof typeof PEERS];

export type Peer =
  | { readonly kind: 'not installed'; readonly name: PeerName }
  | {
      readonly kind: 'started';
      readonly name: PeerName;
      readonly url: string;
      /** The process ids of the peer. Their child processes are also measured. */
      readonly pids: readonly number[];
    };

interface Program {
  readonly program: string;
  readonly file: string;
  readonly config: (places: Places) => string;
  readonly args: (file: string, folder: string) => readonly string[];
}

const NGINX: Program = {
  program: 'nginx',
  file: 'nginx.conf',
  config: nginxConfig,
  args: (file, folder) => ['-e', 'stderr', '-p', folder, '-c', file],
};
const HAPROXY: Program = {
  program: 'haproxy',
  file: 'haproxy.cfg',
  config: haproxyConfig,
  args: (file) => ['-db', '-f', file],
};
const CADDY: Program = {
  program: 'caddy',
  file: 'Caddyfile',
  config: caddyfile,
  args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
};

const NODE_TARGETS = join(import.meta.dirname, '..', 'targets');

/**
 * Starts the named peers that are installed, on Guard's core and in front of an origin. With `tls`, nginx and HAProxy
 * serve https.
 */
export async function startPeers(
  bench: Workbench,
  originUrl: string,
  names: readonly PeerName[],
  tls?: TlsFiles,
): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const name of names) peers.push(await startPeer(bench, originUrl, name, tls));
  return peers;
}

async function startPeer(
  bench: Workbench,
  originUrl: string,
  name: PeerName,
  tls: TlsFiles | undefined,
): Promise<Peer> {
  switch (name) {
    case PEERS.httpProxy3: {
      const script = join(NODE_TARGETS, 'http-proxy-3.ts');
      const { line: url, pid } = bench.keep(await startScriptOn(1, script, [originUrl]));
      return { kind: 'started', name, url, pids: [pid] };
    }
    case PEERS.nginx:
      return startProgram(bench, originUrl, { ...NGINX, name, isAsking: false, tls });
    case PEERS.haproxy:
      return startProgram(bench, originUrl, { ...HAPROXY, name, isAsking: false, tls });
    case PEERS.nginxAuth:
      return startProgram(bench, originUrl, { ...NGINX, name, isAsking: true, tls: undefined });
    case PEERS.caddyAuth:
      return startProgram(bench, originUrl, { ...CADDY, name, isAsking: true, tls: undefined });
  }
}

async function startProgram(
  bench: Workbench,
  originUrl: string,
  peer: Program & Pick<Places, 'tls'> & { readonly name: PeerName; readonly isAsking: boolean },
): Promise<Peer> {
  const { name, program, tls } = peer;
  if (!isOnPath(program)) return { kind: 'not installed', name };
  const service = peer.isAsking
    ? bench.keep(await startScriptOn(1, join(NODE_TARGETS, 'decision-service.ts'), []))
    : undefined;
  const port = await freePort();
  const folder = join(bench.folder, `${program}-${port}`);
  mkdirSync(folder);
  const file = join(folder, peer.file);
  const decisionServer = service && new URL(service.line).host;
  writeFileSync(
    file,
    peer.config({ port, origin: new URL(originUrl).host, decisionServer, folder, tls }),
  );
  const command = [program, ...peer.args(file, folder)];
  const log = join(folder, 'log');
  const { pid } = bench.keep(await startProgramOn(1, command, port, log));
  const pids = service ? [pid, service.pid] : [pid];
  const scheme = tls === undefined ? 'http' : 'https';
  return { kind: 'started', name, url: `${scheme}://127.0.0.1:${port}`, pids };
}

/** Returns a port that is free now. These programs cannot choose a free port and report it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
  server.close();
  await once(server, 'close');
  return port;
}
