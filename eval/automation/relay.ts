import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Stands before the gateway, passes everything on as it came, and keeps what challenges upload. */
export interface Relay {
  readonly port: number;
  /** Folder, below the one given, for the uploads from now on. */
  keepIn(folder: string): void;
  close(): Promise<void>;
}

/** Larger uploads are passed on, and not kept. */
const MAX_KEPT_BYTES = 256 * 1024;

export async function startRelay(gateway: string, folder: string): Promise<Relay> {
  let into = folder;
  let kept = 0;
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    passOn(gateway, incoming, outgoing);
    if (incoming.method !== 'POST') return;
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const body = Buffer.concat(parts);
      if (body.length > MAX_KEPT_BYTES) return;
      kept += 1;
      mkdirSync(into, { recursive: true });
      writeFileSync(join(into, `${String(kept).padStart(4, '0')}.json`), body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    keepIn: (name) => (into = join(folder, name)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function passOn(gateway: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const onward = request(new URL(url, gateway), { method, headers: rawHeaders, setHost: false });
  onward.on('error', () => outgoing.destroy());
  onward.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  incoming.pipe(onward);
}
