/** Invalid bodies, with the code and id of each answer (contract 7.3, 7.4). */
export const malformedBodies: readonly {
  readonly what: string;
  readonly body: string | Uint8Array;
  readonly code: number;
  readonly id: string | number | null;
}[] = [
  { what: 'an empty body', body: '', code: -32700, id: null },
  { what: 'plain text', body: 'hello', code: -32700, id: null },
  { what: 'JSON that is cut off', body: '{"jsonrpc":"2.0","id":1', code: -32700, id: null },
  { what: 'a second value behind the first', body: '{}{}', code: -32700, id: null },
  {
    what: 'bytes that are not UTF-8',
    body: Uint8Array.of(0x22, 0xff, 0x22),
    code: -32700,
    id: null,
  },
  { what: 'null', body: 'null', code: -32600, id: null },
  { what: 'a number', body: '1', code: -32600, id: null },
  { what: 'deep nesting', body: `${'['.repeat(5000)}${']'.repeat(5000)}`, code: -32600, id: null },
  { what: 'an empty object', body: '{}', code: -32600, id: null },
  { what: 'no jsonrpc', body: '{"id":7,"method":"tools/list"}', code: -32600, id: 7 },
  {
    what: 'jsonrpc 1.0',
    body: '{"jsonrpc":"1.0","id":7,"method":"tools/list"}',
    code: -32600,
    id: 7,
  },
  { what: 'jsonrpc as a number', body: '{"jsonrpc":2.0,"id":7,"method":"a"}', code: -32600, id: 7 },
  { what: 'no method', body: '{"jsonrpc":"2.0","id":"x"}', code: -32600, id: 'x' },
  {
    what: 'a method that is no string',
    body: '{"jsonrpc":"2.0","id":7,"method":1}',
    code: -32600,
    id: 7,
  },
  { what: 'a response', body: '{"jsonrpc":"2.0","id":7,"result":{}}', code: -32600, id: 7 },
  {
    what: 'params that are text',
    body: '{"jsonrpc":"2.0","id":7,"method":"a","params":"b"}',
    code: -32600,
    id: 7,
  },
  {
    what: 'a method of every object',
    body: '{"jsonrpc":"2.0","id":7,"method":"__proto__"}',
    code: -32601,
    id: 7,
  },
  {
    what: 'a notification name with an id',
    body: '{"jsonrpc":"2.0","id":7,"method":"notifications/initialized"}',
    code: -32601,
    id: 7,
  },
  {
    what: 'initialize without params',
    body: '{"jsonrpc":"2.0","id":7,"method":"initialize"}',
    code: -32602,
    id: 7,
  },
  {
    what: 'a call without params',
    body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}',
    code: -32602,
    id: 7,
  },
  {
    what: 'a call without a name',
    body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
    code: -32602,
    id: 7,
  },
  {
    what: 'a call of an unknown tool',
    body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"drop"}}',
    code: -32602,
    id: 7,
  },
  {
    what: 'a call named by a number',
    body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":1}}',
    code: -32602,
    id: 7,
  },
  {
    what: 'an unknown method with odd `_meta` and `task`',
    body: '{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"_meta":5,"task":{}}}',
    code: -32601,
    id: 7,
  },
  {
    what: 'a call with params in a list',
    body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":["query"]}',
    code: -32602,
    id: 7,
  },
];
