import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface RecordingOrigin {
  readonly url: string;
  /** Every request that reached the origin, in order. */
  readonly arrivals: Arrival[];
  /** Resolves when a request to this path has arrived. */
  arrival(path: string): Promise<Arrival>;
  /** From this call on, answers wait until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

export const ORIGIN_PAGE = '<!doctype html><title>Origin</title><h1>The origin has answered</h1>';

/** Answers a request for several ranges (RFC 9110, 14.6). The answer has the whole page as its only part. */
const RANGES = /^bytes=[^,]+,/;
const IN_RANGES = 'multipart/byteranges; boundary=part';

/**
 * A site that records its requests. It answers a request for several ranges in parts, as file servers do, and a path
 * that ends in `.json` with JSON.
 */
export async function startRecordingOrigin(): Promise<RecordingOrigin> {
  const arrivals: Arrival[] = [];
  let heldResponses = Promise.withResolvers<undefined>();
  heldResponses.resolve(undefined);
  const waiters: { path: string; resolve: (arrival: Arrival) => void }[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const arrival = { method, url, headers };
    arrivals.push(arrival);
    for (const { path, resolve } of waiters) if (path === url) resolve(arrival);
    request.resume();
    void heldResponses.promise.then(() => answer(url, headers, response));
  });
  function answer(url: string, headers: IncomingHttpHeaders, response: ServerResponse): void {
    if (RANGES.test(headers.range ?? '')) {
      response.writeHead(206, { 'content-type': IN_RANGES });
      response.end(`--part\r\nContent-Type: text/html\r\n\r\n${ORIGIN_PAGE}\r\n--part--\r\n`);
      return;
    }
    const isJson = url.endsWith('.json');
    response.setHeader('content-type', isJson ? 'application/json' : 'text/html');
    response.end(isJson ? '{}' : ORIGIN_PAGE);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    arrival: (path) =>
      new Promise((resolve) => {
        const already = arrivals.find(({ url }) => url === path);
        if (already) resolve(already);
        else waiters.push({ path, resolve });
      }),
    hold() {
      heldResponses = Promise.withResolvers();
      return () => heldResponses.resolve(undefined);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
