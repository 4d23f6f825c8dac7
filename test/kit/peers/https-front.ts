import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../../gateway/src/testing/self-signed.ts';

/** A TLS listener on loopback, as a load balancer has. Its certificate is self-signed. */
export interface HttpsFront {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts a TLS listener that passes each decrypted request to `handle`. Needs the `openssl` command, which makes the
 * certificate.
 */
export async function startHttps(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpsFront> {
  const { key, cert } = selfSigned('localhost');
  const server = createServer({ key, cert }, handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // The address of a server that listens on TCP is always an AddressInfo.
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Passes requests on to the gateway as a trusted proxy does, with the scheme of the visitor. */
export function forwardTo(gateway: string) {
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const headers = { ...incoming.headers, 'x-forwarded-proto': 'https' };
    const { method, url: path } = incoming;
    const { hostname, port } = new URL(gateway);
    const forwardedRequest = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwardedRequest.on('error', () => outgoing.destroy());
    incoming.pipe(forwardedRequest);
  };
}
