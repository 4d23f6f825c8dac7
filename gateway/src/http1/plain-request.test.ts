import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readPlainHead, SectionMemory } from './plain-request.ts';
import { rounds, seededRandom, type SeededRandom } from '../../../test/kit/seeded-random.ts';

const HEADS = rounds(8_000, 100_000);
const MAX_FIELDS = 100;

/** The parts that Node's own requests have too. */
interface Head {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

function readHead(text: string, sections = new SectionMemory(MAX_FIELDS)): Head | undefined {
  const head = readPlainHead(Buffer.from(text, 'latin1'), sections);
  if (head === undefined) return undefined;
  const { method, target, section } = head;
  return { method, target, headers: section.headers, rawHeaders: section.rawHeaders };
}

const CHROME = [
  'GET /a/b?c=%20d HTTP/1.1',
  'Host: shop.example',
  'Connection: keep-alive',
  'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"',
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  'Cookie: _guard=1; a=b',
  '',
  '',
].join('\r\n');

describe('plain requests', () => {
  test('the request of a browser is read as Node reads it', () => {
    const head = readHead(CHROME);
    expect(head).toMatchObject({ method: 'GET', target: '/a/b?c=%20d' });
    expect(head?.rawHeaders.slice(0, 4)).toEqual([
      'Host',
      'shop.example',
      'Connection',
      'keep-alive',
    ]);
    expect(head?.headers['cookie']).toBe('_guard=1; a=b');
    expect(head?.headers['sec-ch-ua']).toBe('"Chromium";v="140", "Not=A?Brand";v="24"');
  });

  test('HEAD, empty values, blanks around values, and bytes above ASCII in them', () => {
    const head = readHead('HEAD / HTTP/1.1\r\nHost: a\r\nX-A:\r\nx-b: \t caf\xe9 \t\r\n\r\n');
    expect(head?.method).toBe('HEAD');
    expect(head?.rawHeaders).toEqual(['Host', 'a', 'X-A', '', 'x-b', 'caf\xe9']);
  });

  test('the number of fields is limited', () => {
    const fields = (count: number) =>
      `GET / HTTP/1.1\r\n${Array.from({ length: count }, (_, i) => `x-${i}: 1\r\n`).join('')}\r\n`;
    expect(readHead(fields(MAX_FIELDS))?.rawHeaders).toHaveLength(2 * MAX_FIELDS);
    expect(readHead(fields(MAX_FIELDS + 1))).toBeUndefined();
  });

  test('names such as `constructor` are ordinary fields', () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
    const head = readHead(
      `GET / HTTP/1.1\r\n${names.map((name) => `${name}: 1\r\n`).join('')}\r\n`,
    );
    expect(Object.keys(head?.headers ?? {})).toEqual(names.map((name) => name.toLowerCase()));
  });
});

test.each([
  ['a body (RFC 9112 section 6)', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
  ['chunks', 'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['another protocol', 'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n'],
  ['an expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n'],
  ['an announced trailer', 'GET / HTTP/1.1\r\nHost: a\r\nTrailer: x\r\n\r\n'],
  ['the last request', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['options of Connection', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-A\r\n\r\n'],
  ['a field twice, in any spelling', 'GET / HTTP/1.1\r\nHost: a\r\nhOST: a\r\n\r\n'],
  ['an empty field twice', 'GET / HTTP/1.1\r\nHost: a\r\nX: \r\nx: \r\n\r\n'],
  ['another method', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a method in lower case', 'get / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\n\r\n'],
  ['absolute-form', 'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a fragment', 'GET /#a HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a target beyond ASCII', 'GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['two spaces', 'GET  / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a blank before the colon (RFC 9112 section 5.1)', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
  ['a folded line (section 5.2)', 'GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n'],
  ['a bare LF', 'GET / HTTP/1.1\nHost: a\r\n\r\n'],
  ['a bare LF after a field', 'GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n'],
  ['a bare CR', 'GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n'],
  ['NUL', 'GET / HTTP/1.1\r\nHost: a\0\r\n\r\n'],
  ['an empty line ahead', '\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a byte after the request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nG'],
  [
    'a second request after the first',
    'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  ],
  ['a part of it', 'GET / HTTP/1.1\r\nHost: a\r\n'],
  ['nothing', ''],
])('%s is not plain', (_what, text) => {
  expect(readHead(text)).toBeUndefined();
});

/** Reads the same bytes with Node's own parser. Undefined when they are not exactly one request. */
class NodeParser {
  readonly #server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false });
  #seenHeads: Head[] = [];

  constructor() {
    this.#server.maxHeadersCount = 0;
    this.#server.on('request', (req: IncomingMessage, res) => {
      const { method, url, headers, rawHeaders } = req;
      this.#seenHeads.push({ method, target: url, headers, rawHeaders });
      res.end();
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  async read(bytes: Buffer): Promise<Head | undefined> {
    this.#seenHeads = [];
    const duplex = new Duplex({ read: () => undefined, write: (_part, _encoding, done) => done() });
    duplex.on('error', () => undefined);
    this.#server.emit('connection', duplex);
    duplex.push(bytes);
    await new Promise(setImmediate);
    duplex.destroy();
    return this.#seenHeads.length === 1 ? this.#seenHeads[0] : undefined;
  }
}

const PIECES = [
  'GET', 'HEAD', 'POST', ' ', '/', '/a?b=c', '*', 'HTTP/1.1', 'HTTP/1.0', '\r\n', '\n', '\r', ':', '\t', '\0',
  'Host: a', 'Content-Length: 1', 'Content-Length: 0', 'Transfer-Encoding: chunked', 'Connection: keep-alive',
  'connection: Keep-Alive', 'X-A: b', 'x-a: c', 'Cookie: a=b', 'cookie: c=d', 'Upgrade: websocket', '\xe9', '\x7f', '\x01', '#', '"', '\\', '|', ',',
] as const; // prettier-ignore

/** A valid request, in most cases with some changed bytes. */
function generateHead(random: SeededRandom): string {
  const lines = [`${random.pick(['GET', 'HEAD'])} ${random.pick(['/', '/a', '/a?b="|\\'])} HTTP/1.1`];
  const names = ['Host', 'Accept', 'X-A', 'Cookie', 'Connection', 'Referer', "!#$%&'*+-.^_`|~9"] as const;
  const values = ['a', '', ' b', '\tb \t', 'caf\xe9', 'keep-alive', '"q, r"; s'] as const;
  for (let i = random.below(8); i >= 0; i--) {
    lines.push(`${random.pick(names)}:${random.pick(['', ' ', '\t '])}${random.pick(values)}`);
  }
  let text = `${lines.join('\r\n')}\r\n\r\n`;
  for (let damage = random.below(3); damage > 0; damage--) {
    const at = random.below(text.length + 1);
    const piece = random.below(2) === 0 ? random.pick(PIECES) : String.fromCharCode(random.below(256));
    text = text.slice(0, at) + piece + text.slice(at + random.below(3));
  }
  return text;
} // prettier-ignore

test(`of ${HEADS} generated header sections, Node reads each plain one as the same single request`, async () => {
  const random = seededRandom();
  const nodeParser = new NodeParser();
  // One memory for all sections: none of them may be taken for another.
  const sections = new SectionMemory(MAX_FIELDS);
  let plain = 0;
  for (let i = 0; i < HEADS; i++) {
    const text = generateHead(random);
    const ours = readHead(text);
    const seedText = `GUARD_TEST_SEED=${random.seed}, head ${i}: ${JSON.stringify(text)}`;
    for (const turn of ['first', 'remembered', 'known']) {
      expect(readHead(text, sections), `${turn} ${seedText}`).toEqual(ours);
    }
    if (ours === undefined) continue;
    plain++;
    const theirs = await nodeParser.read(Buffer.from(text, 'latin1'));
    expect(theirs?.rawHeaders, seedText).toEqual(ours.rawHeaders);
    expect({ ...theirs?.headers }, seedText).toEqual({ ...ours.headers });
    expect([theirs?.method, theirs?.target], seedText).toEqual([ours.method, ours.target]);
  }
  expect(plain).toBeGreaterThan(HEADS / 10);
  expect(plain).toBeLessThan(HEADS);
});
