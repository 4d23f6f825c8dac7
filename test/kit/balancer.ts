import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { startListening } from './listening-program.ts';

/** Where one instance serves visitors, and where it says that it is ready; ports on loopback. */
export interface Balanced {
  readonly gateway: number;
  readonly admin: number;
}

/** A HAProxy that spreads requests over several instances, and asks each whether it is ready. */
export interface Balancer {
  /** In the shape of a product's, so that a visitor goes to either. */
  readonly addresses: { readonly gateway: string };
  /** How many of the instances it sends requests to at this moment. */
  countUp(): Promise<number>;
  /** Requests that it gave to an instance, and had to give to one once more. */
  countRetries(): Promise<number>;
  close(): Promise<void>;
}

/**
 * What an instance that was killed leaves half done is asked for again, elsewhere. Not so an upload: it
 * may have been judged.
 */
function configOf(port: number, socket: string, instances: readonly Balanced[]): string {
  return [
    'global',
    `  stats socket ${socket}`,
    'defaults',
    '  mode http',
    '  timeout connect 1s',
    '  timeout client 30s',
    '  timeout server 10s',
    '  timeout check 1s',
    '  retries 3',
    '  option redispatch 1',
    '  retry-on all-retryable-errors',
    'listen shop',
    `  bind 127.0.0.1:${port}`,
    '  balance roundrobin',
    '  http-request disable-l7-retry if METH_POST',
    '  option httpchk GET /ready',
    ...instances.map(
      ({ gateway, admin }, index) =>
        `  server guard${index} 127.0.0.1:${gateway} check port ${admin} inter 100ms fall 1 rise 1`,
    ),
    '',
  ].join('\n');
}

/** Resolves when it takes connections; whether an instance is up is another matter. */
export async function startBalancer(instances: readonly Balanced[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-balancer-'));
  const [port, file, socket] = [await freePort(), join(folder, 'cfg'), join(folder, 'stats')];
  await writeFile(file, configOf(port, socket, instances));
  const { close } = await startListening(['haproxy', '-db', '-f', file], port, folder);
  return {
    addresses: { gateway: `http://127.0.0.1:${port}` },
    async countUp() {
      const rows = await statistics(socket);
      return rows.filter(({ svname = '', status }) => svname.startsWith('guard') && status === 'UP')
        .length;
    },
    async countRetries() {
      const rows = await statistics(socket);
      return Number(rows.find(({ svname }) => svname === 'BACKEND')?.['wretr'] ?? 0);
    },
    close,
  };
}

/** What HAProxy counts, a row for each server and for all of them. */
async function statistics(path: string): Promise<Record<string, string>[]> {
  const socket = connect(path).setEncoding('utf8');
  let text = '';
  socket.on('data', (part: string) => (text += part));
  socket.end('show stat\n');
  await once(socket, 'close');
  const [head = '', ...lines] = text.trim().split('\n');
  const names = head.replace('# ', '').split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
  });
}
