import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startProgram } from '../../test/kit/examples/example-program.ts';

const START = 'examples/ask-your-traffic/start.mjs';
/** Matches a row of the table after a question. */
const row = (...cells: string[]) => new RegExp(`│? *${cells.join(' +│ +')} +│`);

test('contract 4.4: the client of the SDK gets the tools, the columns and the rules, and rows for each question', async () => {
  const { code, stdout } = await startProgram(process.execPath, [START]).ended();
  expect(code).toBe(0);
  expect(stdout).toContain('Sent 32 requests through the gateway.');
  expect(stdout).toContain(
    'Connected to guard-analytics 1. Its tools: query, query_help, list_columns.',
  );
  expect(stdout).toMatch(/events_distributed, with \d\d columns/);
  expect(stdout).toMatch(row('allow', '17'));
  expect(stdout).toMatch(row('limited', '3'));
  expect(stdout).toMatch(row('crawler_impersonator', '3'));
  expect(stdout).toMatch(row('Googlebot', 'true', '5'));
  expect(stdout).toMatch(row('/api/prices', '1', '8'));
});

test('contract 5, 7.3: with a wrong key the program reports the 401 of a running server', async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP listener has one
  const { code, stdout, stderr } = await startProgram(process.execPath, [START], {
    GUARD_API_URL: `http://127.0.0.1:${port}`,
    GUARD_ANALYTICS_KEY: 'sk_api_ro_wrong',
  }).ended();
  server.close();
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('401');
  expect(keys).toEqual(['Bearer sk_api_ro_wrong']);
});
