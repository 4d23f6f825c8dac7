import { expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import type { SeededRandom } from '../../../test/kit/seeded-random.ts';
import { bothServers, KEY } from '../testing/both-servers.ts';
import { serve } from '../testing/rpc-server.ts';
import type { RpcAnswer } from '../testing/rpc-server.ts';

const BODIES = rounds(1_000, 10_000);
const AT_ONCE = 20;
/** The time limit ends a run that hangs. It is far above the usual time. */
const DEADLINE_MS = 300_000;
const CODES = [-32700, -32600, -32601, -32602];

type List<T> = readonly [T, ...T[]];

const METHODS: List<string> = ['initialize', 'ping', 'tools/list', 'tools/call', 'nonsense'];
const TOOLS: List<string> = ['query', 'query_help', 'list_columns', 'search_docs', 'get_page', 'x'];
const ARGUMENTS: List<string> = ['sql', 'query', 'path', 'limit', '__proto__'];
const VERSIONS: List<string | undefined> = [undefined, undefined, '2025-06-18', '2024-11-05'];
const ODD: List<unknown> = [
  null,
  true,
  0,
  -1.5,
  1e308,
  '',
  'x',
  '2.0',
  [],
  {},
  [[]],
  { name: 'query' },
  { toString: null, constructor: 1 },
  '\u0000',
  '\ud800',
  '💥',
  'a '.repeat(3_000),
  Array.from({ length: 500 }, (_, index) => index),
];

test.each(bothServers)(
  `the %s server: ${BODIES} fuzzed bodies each get a JSON-RPC answer, 202, 400 or 413`,
  async (_name, plugin, maxBodyBytes) => {
    const random = seededRandom();
    console.log(`seed ${random.seed}`);
    const server = await serve(plugin);
    const countByStatus = new Map<number, number>();
    for (let round = 0; round < BODIES; round += AT_ONCE) {
      const bodies = Array.from({ length: AT_ONCE }, () => fuzzedBody(random, maxBodyBytes));
      const version = random.pick(VERSIONS);
      const headers = { ...KEY, ...(version && { 'mcp-protocol-version': version }) };
      const answers = await Promise.all(bodies.map((body) => server.post(body, headers)));
      for (const [index, answer] of answers.entries()) {
        expectDefined(answer, `seed ${random.seed}, round ${round + index}`);
        countByStatus.set(answer.status, (countByStatus.get(answer.status) ?? 0) + 1);
      }
    }
    // This check proves that the random bodies lead to all of these answers.
    expect([...countByStatus.keys()].toSorted()).toEqual([200, 202, 400, 413]);
  },
  DEADLINE_MS,
);

function expectDefined({ status, text, json }: RpcAnswer, context: string): void {
  if (status === 200) expectOneAnswer(json, context);
  else expect([202, 400, 413], context).toContain(status);
  if (status === 202 || status === 413) expect(text, context).toBe('');
}

function expectOneAnswer(json: unknown, context: string): void {
  expect(json, context).toMatchObject({ jsonrpc: '2.0' });
  // The previous line proves that the value is an object.
  const { id, result, error } = json as { id: unknown; result?: unknown; error?: { code: number } };
  expect(typeof id === 'string' || typeof id === 'number' || id === null, context).toBe(true);
  expect((result === undefined) !== (error === undefined), context).toBe(true);
  if (error) expect(CODES, context).toContain(error.code);
}

/**
 * Returns a plausible message with unusual values. Some messages are also put into a list, are cut, or have changed
 * bytes.
 */
function fuzzedBody(random: SeededRandom, maxBodyBytes: number): Buffer {
  const message: Record<string, unknown> = {
    jsonrpc: '2.0',
    id: random.below(100),
    method: random.pick(METHODS),
    params: {
      name: random.pick(TOOLS),
      arguments: { [random.pick(ARGUMENTS)]: random.pick(ODD), query: random.pick(ODD) },
    },
  };
  for (const field of Object.keys(message)) {
    if (random.below(6) === 0) message[field] = random.pick(ODD);
    else if (random.below(12) === 0) Reflect.deleteProperty(message, field);
  }
  return damageBody(random, JSON.stringify(message), maxBodyBytes);
}

function damageBody(random: SeededRandom, json: string, maxBodyBytes: number): Buffer {
  const bytes = Buffer.from(json);
  switch (random.below(16)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length));
    case 1:
      return Buffer.from(`[${json},${json}]`);
    case 2: {
      const depth = random.below(2_000);
      return Buffer.from(`${'{"a":'.repeat(depth)}${json}${'}'.repeat(depth)}`);
    }
    case 3:
      return Buffer.from(json.padEnd(maxBodyBytes - 2 + random.below(4)));
    case 4:
      return Buffer.from(`\ufeff${json}`);
    case 5:
      return Buffer.from(Array.from({ length: random.below(64) }, () => random.below(256)));
    case 6:
    case 7:
    case 8:
      for (let flips = 1 + random.below(4); flips > 0; flips -= 1) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      return bytes;
    default:
      return bytes;
  }
}
