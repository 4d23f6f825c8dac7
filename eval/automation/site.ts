import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const ORIGIN_TITLE = 'The protected page';
const PAGE = `<!doctype html><html lang="en"><title>${ORIGIN_TITLE}</title><h1>${ORIGIN_TITLE}</h1>`;

export interface Site {
  readonly url: string;
  /** True when a request for this path got through to here. */
  wasReached(path: string): boolean;
  close(): Promise<void>;
}

/** The site that Guard protects: every path is the same page, and it remembers who got there. */
export async function startSite(): Promise<Site> {
  const reached = new Set<string>();
  const server = createServer((request, response) => {
    reached.add(request.url ?? '');
    request.resume();
    response.setHeader('content-type', 'text/html');
    response.end(PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    wasReached: (path) => reached.has(path),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
