import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { startListening } from '../listening-program.ts';

/** The configuration lines that nginx needs as a reverse proxy in front of Guard. */
export const RIGHT_LINES = [
  'proxy_http_version 1.1;',
  'proxy_set_header Host $http_host;',
  'proxy_set_header X-Forwarded-For $remote_addr;',
  'proxy_set_header X-Forwarded-Proto $scheme;',
  'proxy_set_header Upgrade $http_upgrade;',
  'proxy_set_header Connection $connection_upgrade;',
] as const;

export interface NginxInFront {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts nginx in front of a gateway. `lines` are in the location that passes requests on. The lines of `server` are
 * beside this location. The lines can use a cache with the name `kept`.
 */
export function startNginx(
  gateway: string,
  {
    lines,
    server = [],
  }: { readonly lines: readonly string[]; readonly server?: readonly string[] },
): Promise<NginxInFront> {
  return startNginxWith(
    (port) => `map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    ${server.join('\n    ')}
    location / {
      proxy_pass ${gateway};
      ${lines.join('\n      ')}
    }
  }`,
  );
}

/** Starts nginx with these lines in its `http` block. The lines have to contain a server that listens on the port. */
export async function startNginxWith(http: (port: number) => string): Promise<NginxInFront> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-nginx-front-'));
  const port = await freePort();
  const tempPathLines = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const config = `daemon off; pid ${folder}/nginx.pid; user root; worker_processes 1;
events { worker_connections 256; }
http {
  access_log off; error_log stderr;
  ${tempPathLines.join(' ')}
  proxy_cache_path ${folder}/kept keys_zone=kept:1m;
  ${http(port)}
}
`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, config);
  const nginx = ['nginx', '-e', 'stderr', '-p', folder, '-c', file] as const;
  const { close } = await startListening(nginx, port, folder);
  return { url: `http://127.0.0.1:${port}`, close };
}
