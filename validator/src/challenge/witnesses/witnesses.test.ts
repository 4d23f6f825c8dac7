import type { CollectRequest } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { createSealer } from '../../session/sealer.ts';
import { aChallengedVisitor, SECRETS } from '../testing/challenged-visitor.ts';
import { newTicketId, readTicket } from '../tickets/ticket.ts';
import { createWitnessAnswerer } from './answer-witness.ts';
import { createWitnesses } from './witnesses.ts';

const witnesses = createWitnesses(SECRETS);

/** Creates a visitor with a challenge page that names URLs. Its functions load these URLs and upload. */
function aVisitor() {
  const visitor = aChallengedVisitor();
  const { challenge, collect, request, store, time, upload } = visitor;
  const answer = createWitnessAnswerer(witnesses, store);
  const reading = readTicket(createSealer(SECRETS, 'ticket'), upload.ticket, time.nowMs);
  if (reading.kind !== 'valid') throw new Error('no ticket');
  const { id } = reading.ticket;
  const witnessHtml = witnesses.issue(id, '');
  expect(challenge.html).toContain(witnessHtml);
  const tokensInPage = Array.from(
    witnessHtml.matchAll(/witness\?(\w+)/g),
    ([, token = '']) => token,
  );
  const tokens = [...new Set(tokensInPage)];
  const get = (query: string, changedHeaders: CollectRequest['headers'] = {}) =>
    answer({
      ...request,
      method: 'GET',
      query,
      headers: { ...request.headers, ...changedHeaders },
      body: '',
    });
  const send = async (change: (sizes: number[]) => void = () => undefined) => {
    const { evidence } = upload;
    const { witnesses: witnessReading } = evidence.readings;
    const sizes = 'value' in witnessReading ? [...witnessReading.value.sizes] : [];
    change(sizes);
    const readings = { ...evidence.readings, witnesses: { value: { sizes } } };
    const body = JSON.stringify({ ...upload, evidence: { ...evidence, readings } });
    const { body: result } = await collect({ ...request, body });
    return [String(result), ...(visitor.outcomes.at(-1)?.reasons ?? [])];
  };
  const [expected] = witnesses.expected(id);
  if (!expected) throw new Error('nothing is expected');
  const isDecoy = (token: string) => witnesses.read(token, '')?.isDecoy === true;
  return { ...visitor, expected, get, isDecoy, send, tokens };
}

const SPENT = ['{"result":"retry"}', 'challenge_replayed'];
const PASSED = ['{"result":"reload"}'];
const INCOMPLETE = ['{"result":"retry"}', 'challenge_incomplete'];
const DECOY_LOADED = ['{"result":"retry"}', 'witness_mismatch'];
/** Index of a leaf among the sizes of an upload. The first two belong to the first line. */
const sizeIndex = (place: number) => 2 + 2 * place;

describe('17.3 witnesses: the loaded files show whether there is a browser engine', () => {
  test('a page that loads the same files as a browser passes', async () => {
    const { get, isDecoy, send, tokens } = aVisitor();
    for (const token of tokens.filter((candidate) => !isDecoy(candidate))) {
      expect((await get(token)).status).toBe(200);
    }
    expect(await send()).toEqual(PASSED);
  });

  test('people who block images pass, and people who block fonts pass too', async () => {
    const withoutImages = aVisitor();
    const noImage = (sizes: number[]) => {
      for (const place of withoutImages.expected.images.keys()) {
        sizes.fill(0, sizeIndex(place), sizeIndex(place) + 2);
      }
    };
    expect(await withoutImages.send(noImage)).toEqual(PASSED);
    const withoutFonts = aVisitor();
    const noFont = (sizes: number[]) => {
      for (const place of withoutFonts.expected.fonts.keys()) sizes[sizeIndex(place)] = 111;
    };
    expect(await withoutFonts.send(noFont)).toEqual(PASSED);
  });

  test('a program that loads nothing gets a fresh page and no session', async () => {
    for (const change of [
      (sizes: number[]) => sizes.fill(0, 2),
      (sizes: number[]) => sizes.splice(0),
    ]) {
      const visitor = aVisitor();
      expect(await visitor.send(change)).toEqual(INCOMPLETE);
      // The ticket is spent, so even a correct second try fails. Each guess of the sizes costs a new page.
      expect(await visitor.send()).toEqual(SPENT);
      expect(visitor.store.storedCount()).toBe(0);
    }
  });

  test('a program with one wrong image and one wrong font gets no session', async () => {
    const { expected, send } = aVisitor();
    const [image = 0] = expected.images.keys();
    const [font = 0] = expected.fonts.keys();
    const change = (sizes: number[]) => {
      for (const place of [image, font])
        sizes[sizeIndex(place)] = (sizes[sizeIndex(place)] ?? 0) + 7;
    };
    expect(await send(change)).toEqual(INCOMPLETE);
  });

  test('a program with the measurements of another page gets no session', async () => {
    const otherReading = aVisitor().upload.evidence.readings.witnesses;
    const { send } = aVisitor();
    const sizesOf = 'value' in otherReading ? otherReading.value.sizes : [];
    expect(await send((sizes) => sizes.splice(0, sizes.length, ...sizesOf))).toEqual(INCOMPLETE);
  });

  test('a program that loads every URL of the page spoils its own ticket, but no other ticket', async () => {
    const { get, send, store, tokens } = aVisitor();
    for (const token of tokens) expect((await get(token)).status).toBe(200);
    expect(await send()).toEqual(DECOY_LOADED);
    expect(await send()).toEqual(SPENT);
    expect(store.storedCount()).toBe(0);
    expect(await aVisitor().send()).toEqual(PASSED);
  });

  test('more than a third of the URLs are decoys, and their answers look like those of the other URLs', async () => {
    const { get, isDecoy, tokens } = aVisitor();
    const decoys = tokens.filter(isDecoy);
    expect(decoys.length).toBeGreaterThan(tokens.length / 3);
    const types = new Set<string | undefined>();
    for (const token of decoys) types.add((await get(token)).headers['Content-Type']);
    expect(types).toEqual(new Set(['image/gif', 'font/ttf']));
  });

  test('a URL that a person opens, or a changed URL, gets 404 and spoils no ticket', async () => {
    const { get, isDecoy, send, tokens } = aVisitor();
    const decoy = tokens.find(isDecoy) ?? '';
    const wrongAnswers = [
      get(decoy, { 'sec-fetch-dest': 'document' }),
      get(`${decoy.slice(0, -1)}${decoy.endsWith('0') ? '1' : '0'}`),
      get(''),
      get(decoy.slice(0, 10)),
      get(`${decoy}00`),
    ];
    for (const { status } of await Promise.all(wrongAnswers)) expect(status).toBe(404);
    expect(await send()).toEqual(PASSED);
  });

  test.each([
    [
      'a User-Agent that is not that of the page, because an extension changed it',
      { 'user-agent': 'Mozilla/5.0 (X11)' },
    ],
    ['an empty destination, because a service worker forwards it', { 'sec-fetch-dest': 'empty' }],
  ])('the request for a file can have %s', async (_what, headers) => {
    const { get, isDecoy, tokens } = aVisitor();
    const real = tokens.find((token) => !isDecoy(token)) ?? '';
    expect((await get(real, headers)).status).toBe(200);
  });

  test('the document contains no character that would end its attribute', () => {
    for (let page = 0; page < 500; page++) {
      const text = witnesses.issue(newTicketId(), '');
      expect(text.replaceAll(/&(?:lt|gt|quot);/g, '')).not.toMatch(/["'<&]/);
    }
  });

  test('a URL of an earlier secret still works, and a URL of another secret does not', () => {
    const { tokens } = aVisitor();
    const handshake = '8daaf6152771g';
    const [token = ''] = /[0-9a-f]{36}/.exec(witnesses.issue('AAAAAAAAAAAAAAAA', handshake)) ?? [];
    expect(tokens).not.toContain(token);
    const rotated = createWitnesses(['a newer secret', ...SECRETS]);
    expect(rotated.read(token, handshake)).toBeDefined();
    expect(rotated.read(token, handshake)).toEqual(witnesses.read(token, handshake));
    expect(createWitnesses(['a newer secret']).read(token, handshake)).toBeUndefined();
    expect(witnesses.read(token, '')).toBeUndefined();
  });
});
