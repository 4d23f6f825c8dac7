import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A TLS listener on loopback, as a load balancer has one, with a certificate of no known authority. */
export interface HttpsFront {
  readonly port: number;
  close(): Promise<void>;
}

/** Hands every request to `handle`, in the clear. Needs the `openssl` command for its certificate. */
export async function startHttps(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpsFront> {
  const server = createServer(selfSigned(), handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A server that listens on TCP has an AddressInfo.
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Passes requests on to the gateway as a trusted proxy does: with the scheme they came in by. */
export function forwardTo(gateway: string) {
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const headers = { ...incoming.headers, 'x-forwarded-proto': 'https' };
    const { method, url: path } = incoming;
    const { hostname, port } = new URL(gateway);
    const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  };
}

/** A certificate of its own for `localhost`, for a day. */
export function selfSigned(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'guard-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=localhost'],
      ],
      { stdio: 'ignore' },
    );
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
