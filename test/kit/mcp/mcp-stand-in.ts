import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A tool call that replaces another tool call. */
export interface ReplacementCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * A proxy before an MCP server, for a client that cannot be configured with a key or with the names of tools. It adds
 * headers, and replaces the tools that the client calls. All other data passes unchanged, also `Host` and `Origin`.
 */
export async function startMcpProxy(
  url: string,
  headers: readonly (readonly [string, string])[],
  tools: Readonly<Record<string, ReplacementCall>>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      const newBody = replaceCall(body, tools);
      const keptHeaders = pairs(incoming.rawHeaders).filter(
        ([name]) => !/^content-length$/i.test(name),
      );
      const upstreamRequest = request(url, { method: incoming.method ?? 'GET', setHost: false });
      for (const [name, value] of [...keptHeaders, ...headers])
        upstreamRequest.appendHeader(name, value);
      upstreamRequest.on('error', () => outgoing.destroy());
      upstreamRequest.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      upstreamRequest.end(newBody);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on TCP is always an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function replaceCall(body: Buffer, tools: Readonly<Record<string, ReplacementCall>>): Buffer {
  if (body.length === 0) return body;
  // The clients of the tests always send JSON.
  const message = JSON.parse(body.toString()) as { method?: string; params?: { name?: string } };
  const standIn = message.method === 'tools/call' ? tools[message.params?.name ?? ''] : undefined;
  return standIn === undefined
    ? body
    : Buffer.from(JSON.stringify({ ...message, params: { ...message.params, ...standIn } }));
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  const headerPairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headerPairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return headerPairs;
}
