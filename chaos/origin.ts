import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Handles a request in a special way. Returns false for a request that gets the usual answer. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A site whose answers contain the requested path, so that no answer can be mistaken for another. */
export interface Origin {
  readonly url: string;
  /** Requests without an answer whose connection is open. */
  underWay(): number;
  /** Stops listening, and cuts every connection. */
  leave(): Promise<void>;
  /** Listens again at the same address. */
  comeBack(): Promise<void>;
}

export function answerTo(path: string): string {
  return `the answer to ${path}\n`;
}

export async function startOrigin(behave: Behaviour = () => false): Promise<Origin> {
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    response.on('close', () => (underWay -= 1));
    request.resume();
    if (!behave(request, response)) response.end(answerTo(request.url ?? ''));
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // it listens on TCP
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    underWay: () => underWay,
    async leave() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    async comeBack() {
      await listen(port);
    },
  };
}
