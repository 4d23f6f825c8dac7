import { MCP } from '@guard/config/contract/limits';
import type { FastifyPluginAsync } from 'fastify';
import { createDataServer, createDocsServer } from '../index.ts';

/** The data server accepts this key. The documentation server ignores it. */
export const KEY = { authorization: 'Bearer sk_api_ro_test' };

/** The clock moves by one minute for each request, so that no budget is spent. */
let nowMs = 0;

/**
 * For each of the two servers: its name, its plugin, the maximum size of a body in bytes, and its tools. The data
 * server of these tests has no database.
 */
export const bothServers: readonly [string, FastifyPluginAsync, number, readonly string[]][] = [
  [
    'data',
    createDataServer({
      runQuery: () => Promise.resolve({ kind: 'unavailable', message: 'no database here' }),
      listColumns: () => Promise.resolve([]),
      authenticate: (authorization) =>
        authorization === KEY.authorization ? { organisation: 'acme', key: 'board' } : undefined,
    }),
    MCP.dataMaxBodyBytes,
    ['query', 'query_help', 'list_columns'],
  ],
  [
    'documentation',
    createDocsServer({ publicUrl: 'https://docs.example', clock: () => (nowMs += 60_000) }),
    MCP.docsMaxBodyBytes,
    ['search_docs', 'get_page'],
  ],
];
