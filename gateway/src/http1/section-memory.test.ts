import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type HeaderSection, SectionMemory } from './plain-request.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { RawClient } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const PROXY = '127.0.0.2';
const COOKIE = `Cookie: _guard=${'0123456789abcdef'.repeat(4)}`;

/** An origin that answers with the header section it was sent. */
function startMirror() {
  return startOrigin((req, res) => {
    const lines = req.rawHeaders.map((text, i) => (i % 2 === 0 ? text : `=${text};`));
    res.end(`<${req.url ?? ''}|${lines.join('')}>`);
  });
}

/** Sends these lines with each path in turn. Resolves to the header sections that the origin got. */
async function sendRequests(
  client: RawClient,
  lines: readonly string[],
  paths: readonly string[],
): Promise<string[]> {
  const seenAnswers: string[] = [];
  for (const path of paths) {
    client.send(`GET ${path} HTTP/1.1`, ...lines, '', '');
    const received = await client.until(new RegExp(`<${path}\\|[^>]*>`));
    seenAnswers.push(/\|([^>]*)>/.exec(received)?.[1] ?? '');
    client.receivedText = '';
  }
  return seenAnswers;
}

describe('a header section that is repeated', () => {
  test('RFC 9110 section 5.3: keeps its order and spelling each time', async () => {
    const origin = await startMirror();
    const client = new RawClient((await startGateway({ origin: origin.address })).port);
    const lines = ['hOST: shop.example', 'X-B: 1', 'x-a: \t2 ', 'Max-Forwards: 7', 'TE: trailers'];
    const fieldTexts = await sendRequests(client, lines, ['/1', '/2', '/3', '/4']);
    for (const fields of fieldTexts) {
      expect(fields).toMatch(/^hOST=shop\.example;X-B=1;x-a=2;Max-Forwards=7;X-Forwarded-For=/);
      expect(fields).not.toContain('trailers');
    }
    // The sections differ in X-Guard-* only.
    expect(new Set(fieldTexts.map((fields) => fields.split('X-Guard', 1)[0])).size).toBe(1);
  });

  test('keeps its forwarded fields only when it comes from a trusted proxy', async () => {
    const origin = await startMirror();
    const { port, questions } = await startGateway({
      origin: origin.address,
      trustedProxies: [`${PROXY}/32`],
    });
    const lines = ['Host: shop.example', 'X-Forwarded-For: 203.0.113.9', 'X-Real-IP: 203.0.113.9'];
    const proxy = new RawClient(connect({ port, host: '127.0.0.1', localAddress: PROXY }));
    const stranger = new RawClient(port);
    for (const round of ['a', 'b', 'c']) {
      const [believed] = await sendRequests(proxy, lines, [`/${round}`]);
      const [ignored] = await sendRequests(stranger, lines, [`/${round}`]);
      expect(believed).toContain('X-Real-IP=203.0.113.9;X-Forwarded-For=203.0.113.9, 127.0.0.2;');
      expect(ignored).toContain('X-Forwarded-For=127.0.0.1;');
      expect(ignored).not.toContain('203.0.113.9');
    }
    expect(questions.map(({ ip }) => ip)).toEqual(
      ['a', 'b', 'c'].flatMap(() => ['203.0.113.9', '127.0.0.1']),
    );
  });

  test('differs from a section with one character more or less', async () => {
    const origin = await startMirror();
    const { port, questions } = await startGateway({ origin: origin.address });
    const client = new RawClient(port);
    const value = COOKIE.slice('Cookie: '.length);
    const cookies = Array.from(
      { length: value.length },
      (_, index) => `${value.slice(0, index)}!${value.slice(index + 1)}`,
    );
    for (const cookie of cookies) {
      const lines = ['Host: shop.example', `Cookie: ${cookie}`];
      for (const fields of await sendRequests(client, lines, ['/1', '/2', '/3'])) {
        expect(fields).toContain(`;Cookie=${cookie};`);
      }
      expect(questions.splice(0).map(({ headers }) => headers?.['cookie'])).toEqual(
        Array.from({ length: 3 }, () => cookie),
      );
    }
  });

  test('is passed on completely when it is too long to be remembered', async () => {
    const origin = await startMirror();
    const client = new RawClient((await startGateway({ origin: origin.address })).port);
    const value = 'x'.repeat(6000);
    const knownAnswers = await sendRequests(
      client,
      ['Host: shop.example', `X-Long: ${value}`],
      ['/1', '/2', '/3'],
    );
    for (const fields of knownAnswers) expect(fields).toContain(`X-Long=${value};`);
  });
});

describe('the memory of sections', () => {
  function reading(memory: SectionMemory, section: string): HeaderSection | undefined {
    const request = `GET / HTTP/1.1\r\n${section}`;
    return memory.read(Buffer.from(request, 'latin1'), request, request.indexOf('\n') + 1);
  }

  const section = `Host: a\r\n${COOKIE}\r\n\r\n`;

  test('keeps a section that came twice, and forgets it when it is not used', () => {
    const memory = new SectionMemory(100);
    const [first, second, third] = [0, 1, 2].map(() => reading(memory, section));
    expect(first?.notes).toBeUndefined();
    expect(second?.notes).toBeDefined();
    expect(third).toBe(second);
    memory.forgetUnused();
    expect(reading(memory, section)).toBe(second);
    memory.forgetUnused();
    memory.forgetUnused();
    expect(reading(memory, section)).not.toBe(second);
    memory.clear();
    expect(reading(memory, section)?.headers['cookie']).toBe(COOKIE.slice('Cookie: '.length));
  });

  test('keeps one of many sections with a request counter, and does not confuse them', () => {
    const memory = new SectionMemory(100);
    const sectionWithCount = (count: number) =>
      `Host: a\r\n${COOKIE}\r\nX-Request-Id: ${count}\r\n\r\n`;
    const sections = Array.from({ length: 9 }, (_, i) => reading(memory, sectionWithCount(10 + i)));
    expect(sections.filter((kept) => kept?.notes !== undefined)).toHaveLength(1);
    expect(sections.map((kept) => kept?.headers['x-request-id'])).toEqual(
      sections.map((_, i) => String(10 + i)),
    );
  });

  test('does not make a second request plain when the first was not', () => {
    const memory = new SectionMemory(2);
    for (const bad of ['Host: a\r\nhost: b\r\n\r\n', 'A: 1\r\nB: 2\r\nC: 3\r\n\r\n', '\r\n', '']) {
      for (const turn of [1, 2, 3]) expect([turn, reading(memory, bad)]).toEqual([turn, undefined]);
    }
  });
});
