import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { type ListeningProgram, startListening } from '../listening-program.ts';

/** A certificate authority on loopback: Pebble, the test server of Let's Encrypt. */
export interface Pebble {
  readonly directory: string;
  /** The certificate of the authority's own https listener, for `NODE_EXTRA_CA_CERTS`. */
  readonly caFile: string;
  /** The ports on which the authority checks http-01 and tls-alpn-01, for every host. */
  readonly httpPort: number;
  readonly tlsPort: number;
  /** Starts the authority. When it stops, it loses all accounts and orders. */
  start(): Promise<void>;
  /** Stops the authority. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Returns an authority that is not started yet. `validSeconds` is the lifetime of its certificates. */
export async function openPebble(validSeconds: number): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-pebble-'));
  const dnsFolder = await mkdtemp(join(tmpdir(), 'guard-pebble-dns-'));
  const [port, management, dns, dnsManagement] = await Promise.all([1, 2, 3, 4].map(freePort));
  const [httpPort, tlsPort] = [await freePort(), await freePort()];
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync(
    'openssl',
    [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' '),
      ...['-keyout', key, '-out', cert, '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ],
    { stdio: 'ignore' },
  );
  const config = join(folder, 'pebble.json');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: cert,
    privateKey: key,
    httpPort,
    tlsPort,
    certificateValidityPeriod: validSeconds,
  };
  writeFileSync(config, JSON.stringify({ pebble }));
  // The authority resolves every name to this machine.
  const names = await startListening(
    [
      'pebble-challtestsrv',
      ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`],
      ...['-defaultIPv6', '', '-http01', '', '-https01', '', '-tlsalpn01', ''],
    ],
    dnsManagement ?? 0,
    dnsFolder,
  );
  let running: ListeningProgram | undefined;
  const stop = async (): Promise<void> => {
    await running?.close();
    running = undefined;
  };
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    caFile: cert,
    httpPort,
    tlsPort,
    async start() {
      running = await startListening(
        [
          'env',
          'PEBBLE_VA_NOSLEEP=1',
          'pebble',
          '-config',
          config,
          '-dnsserver',
          `127.0.0.1:${dns}`,
        ],
        port ?? 0,
        await mkdtemp(join(tmpdir(), 'guard-pebble-home-')),
      );
    },
    stop,
    async close() {
      await stop();
      await names.close();
      await rm(folder, { recursive: true });
    },
  };
}
