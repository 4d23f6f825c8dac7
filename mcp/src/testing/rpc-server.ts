import fastify from 'fastify';
import type { FastifyPluginAsync } from 'fastify';
import { onTestFinished } from 'vitest';

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. Undefined when the body is empty or not JSON. */
  readonly json: unknown;
}

export interface TestServer {
  readonly url: string;
  /** Sends one body to /mcp. A value that is not a string is sent as JSON. */
  post(body: unknown, headers?: Record<string, string>): Promise<RpcAnswer>;
}

/** Serves plugins on a free loopback port until the test ends. */
export async function serve(...plugins: FastifyPluginAsync[]): Promise<TestServer> {
  const app = fastify();
  for (const plugin of plugins) await app.register(plugin);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return {
    url,
    post: async (body, headers = {}) => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body:
          typeof body === 'string' || body instanceof Uint8Array
            ? Buffer.from(body)
            : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parse(text) };
    },
  };
}

export function call(name: string, args?: unknown): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

/** Calls a tool and returns the answer. */
export function toolResult(isError: boolean, text: unknown, structuredContent?: unknown): object {
  const result = { content: [{ type: 'text', text }], structuredContent, isError };
  return { jsonrpc: '2.0', id: 1, result };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
