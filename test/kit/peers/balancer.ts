import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { startListening } from '../listening-program.ts';

/** The ports of one instance on loopback: for visitors, and for the check whether it is ready. */
export interface Balanced {
  readonly gateway: number;
  readonly admin: number;
}

/** A HAProxy that spreads requests over several instances, and checks whether each is ready. */
export interface Balancer {
  /** A product has the same field, so that tests can use a product or a balancer. */
  readonly addresses: { readonly gateway: string };
  /** The number of instances that get requests at this moment. */
  countUp(): Promise<number>;
  /** The number of requests that HAProxy had to send again to another instance. */
  countRetries(): Promise<number>;
  close(): Promise<void>;
}

/**
 * When an instance is killed, HAProxy sends its request again, to another instance. It does not repeat an upload,
 * because the killed instance has perhaps judged it.
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

/** Resolves when HAProxy accepts connections. Perhaps no instance is ready at this time. */
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

/** The counters of HAProxy: one row for each server, and one row for all servers together. */
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
