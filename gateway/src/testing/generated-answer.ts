import type { SeededRandom } from '../../../test/kit/seeded-random.ts';

/** An answer of an origin, correct or damaged. */
export interface GeneratedAnswer {
  readonly bytes: Buffer;
  /** The name of the damage. Empty for a correct answer. */
  readonly damage: string;
  /** True when the origin keeps the connection open. Then the answer itself shows where it ends. */
  readonly keepsConnection: boolean;
}

const STATUSES = [200, 200, 200, 201, 204, 206, 301, 304, 404, 418, 500, 503, 599, 999] as const;
const REASONS = ['OK', 'OK', '', 'Not Found', 'Tout \xe0 fait', 'a  b\tc'] as const;
const NAMES = [
  'Content-Type', 'content-type', 'Set-Cookie', 'ETag', 'X-Empty', "!#$%&'*+-.^_`|~9", 'Date',
  'Keep-Alive', 'x', 'Link', 'Vary', 'Proxy-Authenticate', 'Content-Lengths', 'Transfer-Encodings',
] as const; // prettier-ignore
const VALUES = [
  'text/html; charset=utf-8', 'a=1; Path=/', '"x"', '', 'timeout=5', 'timeout=5, max=100', '\xe9\xff',
  'a,b , c', 'x'.repeat(300), 'a\tb', '*', 'timeout=99999999999999999999',
] as const; // prettier-ignore
const CHUNKED_FIELDS = ['Transfer-Encoding: chunked', 'transfer-encoding:CHUNKED'] as const;
const BLANKS = [' ', ' ', ' ', '', '  ', '\t', ' \t '] as const;

/** One answer to a request of this method. */
export function generateAnswer(random: SeededRandom, method: string): GeneratedAnswer {
  const minor = random.below(12) === 0 ? 0 : 1;
  const status = random.pick(STATUSES);
  const bodiless = method === 'HEAD' || status === 204 || status === 304;
  const framing = pickFraming(random, bodiless, minor);
  const closesConnection = random.below(8) === 0;
  const body = bodiless || framing === 'empty' ? '' : generateBody(random);

  const lines = [`HTTP/1.${minor} ${status} ${random.pick(REASONS)}`, ...generateFields(random)];
  if (framing === 'chunks') lines.push(random.pick(CHUNKED_FIELDS));
  else if (framing !== 'close') lines.push(`Content-Length: ${body.length}`);
  if (closesConnection) lines.push('Connection: close');
  moveLast(random, lines);

  const interim = random.below(10) === 0 ? generateInterim(random) : '';
  const content = framing === 'chunks' ? chunk(random, body) : body;
  const text = `${interim}${lines.join('\r\n')}\r\n\r\n${content}`;
  if (random.below(5) < 2) return damageAnswer(random, text);
  const mayKeep = framing !== 'close' && minor === 1 && !closesConnection;
  const keepsConnection = mayKeep && random.below(3) > 0;
  return { bytes: Buffer.from(text, 'latin1'), damage: '', keepsConnection };
}

type Framing = 'length' | 'chunks' | 'close' | 'empty';

function pickFraming(random: SeededRandom, bodiless: boolean, minor: number): Framing {
  if (bodiless) return random.pick(['length', 'empty']);
  const framing = random.pick(['length', 'length', 'chunks', 'chunks', 'close', 'empty'] as const);
  return framing === 'chunks' && minor === 0 ? 'close' : framing;
}

function generateInterim(random: SeededRandom): string {
  const status = random.pick([100, 102, 103, 103]);
  return `HTTP/1.1 ${status} Wait\r\nLink: </a.css>; rel=preload\r\n\r\n`.repeat(
    1 + random.below(2),
  );
}

function generateFields(random: SeededRandom): string[] {
  return Array.from({ length: random.below(8) }, () => {
    const value = random.pick(VALUES);
    return `${random.pick(NAMES)}:${random.pick(BLANKS)}${value}${random.pick(BLANKS)}`;
  });
}

/** Moves the last field to a random position among the others. */
function moveLast(random: SeededRandom, lines: string[]): void {
  if (lines.length < 2) return;
  const movedLine = lines.pop() ?? '';
  lines.splice(1 + random.below(lines.length), 0, movedLine);
}

function generateBody(random: SeededRandom): string {
  const length = random.pick([0, 1, 2, 10, 100, 1_000, 5_000, random.below(70_000)]);
  const step = 1 + random.below(250);
  return Buffer.from(Array.from({ length }, (_, i) => (i * step) % 256)).toString('latin1');
}

function chunk(random: SeededRandom, body: string): string {
  let chunkedText = '';
  for (let at = 0; at < body.length;) {
    const size = Math.min(body.length - at, 1 + random.below(Math.max(8, body.length)));
    const hex = random.below(2) === 0 ? size.toString(16) : `0${size.toString(16).toUpperCase()}`;
    const extension = random.pick([
      '',
      '',
      '',
      ';a',
      ';a=b',
      ';a="b;c"',
      ';long=' + 'x'.repeat(80),
    ]);
    chunkedText += `${hex}${extension}\r\n${body.slice(at, at + size)}\r\n`;
    at += size;
  }
  const trailers = random.below(3) === 0 ? generateFields(random) : [];
  if (random.below(50) === 0) trailers.push(random.pick(['Content-Length: 5', ...CHUNKED_FIELDS]));
  return `${chunkedText}0\r\n${trailers.map((line) => `${line}\r\n`).join('')}\r\n`;
}

type Damage = (random: SeededRandom, text: string) => string;

/** Kinds of damage that broken origins, attackers or chance can cause. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  'cut off': (random, text) => text.slice(0, random.below(text.length)),
  'a byte changed': (random, text) => splice(random, text, 1, anyByte(random)),
  'a byte taken away': (random, text) => splice(random, text, 1, ''),
  'a byte put in': (random, text) => splice(random, text, 0, anyByte(random)),
  'a byte of the head changed': (random, text) =>
    splice(random, text, 1, anyByte(random), headEnd(text)),
  'a byte put into the head': (random, text) =>
    splice(random, text, 0, anyByte(random), headEnd(text)),
  'a sign of the grammar put into the head': (random, text) =>
    splice(random, text, 0, random.pick([' ', ':', '\r', '\n', '\t', '\0', ',', ';']), headEnd(text)),
  'a length said twice': (_random, text) => addField(text, `Content-Length: ${lengthOf(text)}`),
  'another length': (random, text) => addField(text, `Content-Length: ${random.below(50)}`),
  'a list of lengths': (random, text) => addField(text, `Content-Length: ${random.pick(['5, 5', '5,6', '5,', ',5'])}`),
  'a length that is none': (random, text) =>
    addField(text, `Content-Length: ${random.pick(['-1', '+5', '0x5', '5 5', '', '1e1', '5;', '99999999999999999999'])}`),
  'a coding besides': (random, text) => addField(text, `Transfer-Encoding: ${random.pick(CODINGS)}`),
  'a folded line': (_random, text) => addField(text, 'X-Folded: a\r\n b'),
  'a space before the colon': (_random, text) => addField(text, 'Content-Length : 3'),
  'a line without a colon': (_random, text) => addField(text, 'Content-Length'),
  'bare line feeds': (_random, text) => text.slice(0, headEnd(text)).replaceAll('\r\n', '\n') + text.slice(headEnd(text)),
  'more after the end': (random, text) => text + random.pick(['x', '\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n']),
  'something ahead': (random, text) => random.pick(['\r\n', '\n', ' ', 'x', '0\r\n\r\n']) + text,
  'another version': (random, text) => text.replace(/HTTP\/1\../, random.pick(['HTTP/2.0', 'HTTP/1.2', 'HTTP/0.9', 'http/1.1', 'HTTP/1', 'ICY', 'HTTP/11.1'])),
  'another status': (random, text) => text.replace(/ \d{3} /, random.pick([' 20 ', ' 2000 ', ' 099 ', ' -20 ', ' 2x0 ', '  200 ', ' 101 ', ' 000 '])),
  'nothing': () => '',
}; // prettier-ignore

const CODINGS = [
  'chunked', 'identity', 'gzip', 'gzip, chunked', 'chunked, gzip', 'chunked, chunked', 'xchunked',
  'chunked\x0b', '"chunked"', 'chunked;q=1', ',chunked', '',
] as const; // prettier-ignore

function damageAnswer(random: SeededRandom, text: string): GeneratedAnswer {
  const [first = 'nothing', ...others] = Object.keys(DAMAGES);
  const name = random.pick([first, ...others]);
  const damagedText = DAMAGES[name]?.(random, text) ?? '';
  // The connection closes, so a reader that waits for more notices the end.
  return { bytes: Buffer.from(damagedText, 'latin1'), damage: name, keepsConnection: false };
}

function headEnd(text: string): number {
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? text.length : end;
}

function splice(
  random: SeededRandom,
  text: string,
  removedCount: number,
  addedText: string,
  limit = text.length,
): string {
  const at = random.below(Math.max(1, limit));
  return text.slice(0, at) + addedText + text.slice(at + removedCount);
}

function anyByte(random: SeededRandom): string {
  return String.fromCharCode(random.below(256));
}

function addField(text: string, line: string): string {
  const end = headEnd(text);
  return `${text.slice(0, end)}\r\n${line}${text.slice(end)}`;
}

function lengthOf(text: string): string {
  return /Content-Length: (\d+)/.exec(text)?.[1] ?? '0';
}
