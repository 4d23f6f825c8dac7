import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Submission {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

export interface PagedOrigin {
  readonly url: string;
  /** The HTML of each path. Other paths have ARRIVED_PAGE. */
  readonly pages: Map<string, string>;
  /** Every request that reached the origin, in order, with its body. */
  readonly arrivals: readonly Submission[];
  close(): Promise<void>;
}

export const ARRIVED_TITLE = 'The protected page';
const ARRIVED_PAGE = `<!doctype html><html lang="en"><title>${ARRIVED_TITLE}</title><h1>${ARRIVED_TITLE}</h1>`;

/** A site whose pages a test writes, and which records its requests. */
export async function startPagedOrigin(): Promise<PagedOrigin> {
  const pages = new Map<string, string>();
  const arrivals: Submission[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      arrivals.push({ method, url, body: Buffer.concat(parts).toString() });
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(pages.get(url) ?? ARRIVED_PAGE);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on TCP is always an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    pages,
    arrivals,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
