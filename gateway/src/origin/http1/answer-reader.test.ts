import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../test/kit/seeded-random.ts';
import { generateAnswer } from '../../testing/generated-answer.ts';
import { AnswerReader } from './answer-reader.ts';
import type { AnswerSink } from './answer-sink.ts';
import { HTTP1_LIMITS } from './limits.ts';

const MAX_HEADER_BYTES = 4 * 1024;

/** Records everything that the reader reports. */
class Notes implements AnswerSink {
  interim: unknown[] = [];
  head: unknown;
  body = '';
  complete: unknown;
  fault: string | undefined;

  onInformational(status: number, fields: readonly string[]): void {
    this.interim.push({ status, fields });
  }

  onHead(status: number, reason: string, fields: readonly string[]): void {
    this.head = { status, reason, fields };
  }

  onBody(chunk: Buffer, from: number, to: number): void {
    this.body += chunk.toString('latin1', from, to);
  }

  onComplete(trailers: readonly string[], reusable: boolean, keepsForS: number | undefined): void {
    this.complete = { trailers, reusable, keepsForS };
  }

  onFault(fault: string): void {
    this.fault ??= fault;
  }
}

function readPieces(pieces: readonly Buffer[], method = 'GET', atEnd = true): Notes {
  const notes = new Notes();
  const reader = new AnswerReader(notes, MAX_HEADER_BYTES);
  reader.expect(method === 'HEAD');
  const memory = Buffer.alloc(Math.max(0, ...pieces.map(({ length }) => length)));
  for (const piece of pieces) {
    piece.copy(memory);
    reader.read(memory, piece.length);
    memory.fill('!');
  }
  if (atEnd) reader.finish();
  return notes;
}

function readWhole(text: string, method?: string): Notes {
  return readPieces([Buffer.from(text, 'latin1')], method);
}

const answer = (...lines: readonly string[]) => ['HTTP/1.1 200 OK', ...lines].join('\r\n');
const chunked = (...lines: readonly string[]) => answer('Transfer-Encoding: chunked', '', ...lines);

describe('the reading of an answer does not depend on where its bytes are split (RFC 9112 section 2.2)', () => {
  const random = seededRandom();
  const methods = ['GET', 'GET', 'GET', 'HEAD'] as const;

  test('1,000 answers, half of them damaged, each in five ways', () => {
    console.log(`answer reader: GUARD_TEST_SEED=${random.seed}`);
    const kinds = { complete: 0, faulty: 0, unfinished: 0 };
    for (let round = 0; round < 1_000; round++) {
      const method = random.pick(methods);
      const { bytes, damage } = generateAnswer(random, method);
      const expected = readPieces([bytes], method);
      // Bytes after the end can come together with the answer, or later. The answer is the same in both cases.
      const { complete, fault, ...rest } = expected;
      for (let way = 0; way < 5; way++) {
        const cuts = way === 0 ? bytes.length : 1 + random.below(20);
        const notes = readPieces(piecesOf(bytes, cuts, random.below), method);
        const seedText = `GUARD_TEST_SEED=${random.seed}, round ${round}: ${damage}\n${bytes.toString('latin1').slice(0, 600)}`;
        const { complete: gotComplete, fault: gotFault, ...gotRest } = notes;
        expect(gotRest, seedText).toEqual(rest);
        expect(gotComplete === undefined, seedText).toBe(complete === undefined);
        if (complete === undefined) expect(gotFault, seedText).toBe(fault);
      }
      if (complete !== undefined) kinds.complete++;
      else if (fault !== undefined) kinds.faulty++;
      else kinds.unfinished++;
    }
    expect(Math.min(...Object.values(kinds))).toBeGreaterThan(20);
  });
});

function piecesOf(bytes: Buffer, cuts: number, below: (limit: number) => number): Buffer[] {
  const ends =
    cuts >= bytes.length
      ? Array.from(bytes, (_, index) => index + 1)
      : [...Array.from({ length: cuts }, () => below(bytes.length + 1)), bytes.length];
  ends.sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe('the end of an answer (RFC 9112 section 6.3)', () => {
  test.each([
    { text: answer('Content-Length: 2', '', 'ok'), body: 'ok', reusable: true },
    { text: answer('Content-Length: 0', '', ''), body: '', reusable: true },
    { text: answer('Content-Length: 0002', '', 'ok'), body: 'ok', reusable: true },
    { text: answer('Connection: x, Close', 'Content-Length: 2', '', 'ok'), body: 'ok', reusable: false },
    { text: chunked('2', 'ok', '0', '', ''), body: 'ok', reusable: true },
    { text: chunked('00000002', 'ok', '000', '', ''), body: 'ok', reusable: true },
    { text: chunked('2;a;b="c;d"', 'ok', '0 ;e=f', '', ''), body: 'ok', reusable: true },
    { text: chunked('A', '0123456789', '1', 'x', '0', '', ''), body: '0123456789x', reusable: true },
    { text: answer('', 'until the end'), body: 'until the end', reusable: false },
    { text: 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', body: 'ok', reusable: false },
    {
      text: 'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok',
      body: 'ok',
      reusable: true,
    },
  ])('%j', ({ text, body, reusable }) => {
    const notes = readWhole(text);
    expect(notes).toMatchObject({ body, fault: undefined, complete: { reusable } });
  }); // prettier-ignore

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', false],
    ['HEAD', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', false],
    ['GET', 'HTTP/1.1 304 Not Modified\r\n\r\n', true],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n', true],
    ['GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', true],
    // The announced body may still come.
    ['GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', false],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', false],
    ['GET', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', false],
  ])('to %s, %j has no body', (method, text, reusable) => {
    expect(readWhole(text, method)).toMatchObject({ body: '', complete: { reusable }, fault: undefined });
  }); // prettier-ignore

  test.each([
    answer('Content-Length: 3', '', 'ok'),
    answer('Content-Length: 3'),
    chunked('2', 'ok', ''),
    chunked('2', 'ok', '0', ''),
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    'HTTP/1.1 2',
    '',
  ])('the end of the connection does not complete %j', (text) => {
    expect(readWhole(text)).toMatchObject({ complete: undefined, fault: undefined });
  });

  test('bytes after the end of an answer end the connection (RFC 9112 section 6.3)', () => {
    const wholeAnswer = answer('Content-Length: 2', '', 'ok');
    expect(readWhole(`${wholeAnswer}HTTP/1.1 200 OK\r\n`)).toMatchObject({
      body: 'ok',
      complete: { reusable: false },
    });
    const answerAndMore = readPieces([Buffer.from(wholeAnswer), Buffer.from('x')], 'GET', false);
    expect(answerAndMore.complete).toMatchObject({ reusable: true });
    expect(answerAndMore.fault).toBeTypeOf('string');
  });
});

describe('several lengths (RFC 9112 section 6.3, RFC 9110 section 8.6)', () => {
  test.each([
    answer('Content-Length: 2', 'X: y', 'content-length: 2', '', 'ok'),
    answer('Content-Length: 2, 2', 'X: y', '', 'ok'),
    answer('Content-Length: 2', 'X: y', 'Content-Length: 2,2', '', 'ok'),
  ])('equal lengths are passed on once: %j', (text) => {
    const notes = readWhole(text);
    expect(notes.body).toBe('ok');
    expect(notes.head).toMatchObject({ fields: ['Content-Length', '2', 'X', 'y'] });
  });
});

describe('bytes that are not exactly one answer (RFC 9112 sections 2.2, 4, 5, 6, 7)', () => {
  test.each([
    ['a bare LF', 'HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n'],
    ['a bare CR', answer('X: a\rY: b', 'Content-Length: 0', '', '')],
    ['obs-fold', answer('X: a', ' b', 'Content-Length: 0', '', '')],
    ['obs-fold after the status line', answer(' X: a', 'Content-Length: 0', '', '')],
    ['a space before the colon', answer('Content-Length : 0', '', '')],
    ['a field without a colon', answer('Content-Length', '', '')],
    ['a field without a name', answer(': 0', '', '')],
    ['NUL in a value', answer('X: a\0b', 'Content-Length: 0', '', '')],
    ['DEL in a value', answer('X: \x7f', 'Content-Length: 0', '', '')],
    ['a control in the reason', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n'],
    ['another protocol', 'SSH-2.0-x\r\n'],
    ['HTTP/2', 'HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['no digits', 'HTTP/1.1 2x0 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['an empty line ahead', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['two lengths', answer('Content-Length: 1', 'Content-Length: 2', '', 'ab')],
    ['two lengths in one field', answer('Content-Length: 1, 2', '', 'ab')],
    ['a signed length', answer('Content-Length: +1', '', 'a')],
    ['a negative length', answer('Content-Length: -1', '', 'a')],
    ['a hexadecimal length', answer('Content-Length: 0x1', '', 'a')],
    ['a length after a no-break space', answer('Content-Length: \xa01', '', 'a')],
    ['an empty length', answer('Content-Length:', '', '')],
    ['a length that is too large for a number', answer('Content-Length: 99999999999999999', '', 'a')],
    ['a coding and a length', chunked('0', '', '').replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\n')],
    ['a coding that is not supported', answer('Transfer-Encoding: gzip, chunked', '', '0', '', '')],
    ['a coding like chunked', answer('Transfer-Encoding: xchunked', '', '0', '', '')],
    ['identity', answer('Transfer-Encoding: identity', '', 'ok')],
    ['chunked twice', answer('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', '', '0', '', '')],
    ['a coding in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['101', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a chunk without a size', chunked('', 'ok', '0', '', '')],
    ['a size that is not a number', chunked('x', 'ok', '0', '', '')],
    ['a negative size', chunked('-2', 'ok', '0', '', '')],
    ['a size with a prefix', chunked('0x2', 'ok', '0', '', '')],
    ['a padded size', chunked('2 ', 'ok', '0', '', '')],
    ['a size that is too large for a number', chunked('fffffffffffffffff', 'ok')],
    ['a chunk longer than it says', chunked('1', 'ok', '0', '', '')],
    ['a chunk shorter than it says', chunked('3', 'ok', '0', '', '')],
    ['a bare LF after a size', answer('Transfer-Encoding: chunked', '', '2\nok', '0', '', '')],
    ['a bare LF after a chunk', answer('Transfer-Encoding: chunked', '', '2', 'ok\n0', '', '')],
    ['a control in an extension', chunked('2;a=\0', 'ok', '0', '', '')],
    ['a length in a trailer', chunked('0', 'Content-Length: 5', '', '')],
    ['a coding in a trailer', chunked('0', 'Transfer-Encoding: chunked', '', '')],
    ['obs-fold in a trailer', chunked('0', 'X: a', ' b', '', '')],
  ])('%s', (_name, text) => {
    const { complete, fault } = readWhole(text);
    expect(complete).toBeUndefined();
    expect(fault).toBeTypeOf('string');
  }); // prettier-ignore
});

describe('every part of an answer has a bound', () => {
  const repeatLine = (count: number, line: string) => Array.from({ length: count }, () => line);
  const { maxFields, maxInterim, maxChunkLineBytes, maxChunkExtensionBytes } = HTTP1_LIMITS;
  const longExtension = ';x=' + 'y'.repeat(maxChunkLineBytes - 100);
  const chunks = Math.ceil(maxChunkExtensionBytes / longExtension.length) + 1;

  test.each([
    ['a header section', answer(`X: ${'x'.repeat(MAX_HEADER_BYTES)}`, '', '')],
    ['a header section without an end', 'x'.repeat(MAX_HEADER_BYTES + 1)],
    ['the count of fields', answer(...repeatLine(maxFields + 1, 'a:'), '', '')],
    ['a trailer section', chunked('0', `X: ${'x'.repeat(MAX_HEADER_BYTES)}`, '', '')],
    ['the count of trailers', chunked('0', ...repeatLine(maxFields + 1, 'a:'), '', '')],
    ['interim answers', 'HTTP/1.1 103 Wait\r\n\r\n'.repeat(maxInterim + 1)],
    ['a chunk-size line', chunked(`2;x=${'y'.repeat(maxChunkLineBytes)}`, 'ok', '0', '', '')],
    [
      'chunk extensions together',
      chunked(...repeatLine(chunks, `1${longExtension}\r\nx`), '0', '', ''),
    ],
  ])('%s', (_name, text) => {
    const { complete, fault } = readWhole(text);
    expect(complete).toBeUndefined();
    expect(fault).toBeTypeOf('string');
    expect(readWhole(text.slice(0, 100)).fault).toBeUndefined();
  });

  test('an answer just inside the bounds is read', () => {
    const fields = repeatLine(MAX_HEADER_BYTES / 4 - 10, 'a:');
    expect(readWhole(answer(...fields, 'Content-Length: 2', '', 'ok')).body).toBe('ok');
    const interim = 'HTTP/1.1 103 Wait\r\n\r\n'.repeat(maxInterim);
    const notes = readWhole(interim + answer('Content-Length: 2', '', 'ok'));
    expect([notes.interim.length, notes.body]).toEqual([maxInterim, 'ok']);
  });
});

test('Keep-Alive: timeout is read in any spelling, and other parameters are ignored', () => {
  const hint = (...lines: readonly string[]) =>
    readWhole(answer(...lines, 'Content-Length: 0', '', '')).complete;
  expect(hint('Keep-Alive: max=5, Timeout=7')).toMatchObject({ keepsForS: 7 });
  expect(hint('keep-alive: timeout = 7')).toMatchObject({ keepsForS: 7 });
  expect(hint('Keep-Alive: timeouts=7')).toMatchObject({ keepsForS: undefined });
  expect(hint('Keep-Alive: timeout=-7')).toMatchObject({ keepsForS: undefined });
});
