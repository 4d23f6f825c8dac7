import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that passed through the relay, with its whole body. */
export interface Passing {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
}

/** A proxy in front of the gateway. It changes nothing, not even the `Host` field. */
export interface Relay {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a relay. It calls `note` for each request after the last byte. */
export async function startRelay(
  gateway: string,
  note: (passing: Passing) => void,
): Promise<Relay> {
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => note({ method, url, body: Buffer.concat(parts) }));
    passOn(gateway, incoming, outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on TCP is always an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function passOn(gateway: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const upstreamRequest = request(new URL(url, gateway), {
    method,
    headers: rawHeaders,
    setHost: false,
  });
  upstreamRequest.on('error', () => outgoing.destroy());
  upstreamRequest.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  incoming.pipe(upstreamRequest);
}
