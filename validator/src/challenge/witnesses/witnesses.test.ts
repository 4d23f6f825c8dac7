import type { CollectRequest } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { createSealer } from '../../session/sealer.ts';
import { aChallengedVisitor, SECRETS } from '../testing/challenged-visitor.ts';
import { newTicketId, readTicket } from '../tickets/ticket.ts';
import { createWitnessAnswerer } from './answer-witness.ts';
import { createWitnesses } from './witnesses.ts';

const witnesses = createWitnesses(SECRETS);

/** A visitor with a challenge page that names URLs, and what he does with them. */
function aVisitor() {
  const visitor = aChallengedVisitor();
  const { challenge, collect, request, store, time, upload } = visitor;
  const answer = createWitnessAnswerer(witnesses, store);
  const reading = readTicket(createSealer(SECRETS, 'ticket'), upload.ticket, time.nowMs);
  if (reading.kind !== 'valid') throw new Error('no ticket');
  const { id } = reading.ticket;
  const asked = witnesses.issue(id, '');
  expect(challenge.html).toContain(asked);
  const tokens = [
    ...new Set(Array.from(asked.matchAll(/witness\?(\w+)/g), ([, token = '']) => token)),
  ];
  const get = (query: string, over: CollectRequest['headers'] = {}) =>
    answer({
      ...request,
      method: 'GET',
      query,
      headers: { ...request.headers, ...over },
      body: '',
    });
  const send = async (change: (sizes: number[]) => void = () => undefined) => {
    const { evidence } = upload;
    const { witnesses: read } = evidence.readings;
    const sizes = 'value' in read ? [...read.value.sizes] : [];
    change(sizes);
    const readings = { ...evidence.readings, witnesses: { value: { sizes } } };
    const body = JSON.stringify({ ...upload, evidence: { ...evidence, readings } });
    const { body: said } = await collect({ ...request, body });
    return [String(said), ...(visitor.outcomes.at(-1)?.reasons ?? [])];
  };
  const [expected] = witnesses.expected(id);
  if (!expected) throw new Error('nothing is expected');
  const isDecoy = (token: string) => witnesses.read(token, '')?.isDecoy === true;
  return { ...visitor, expected, get, isDecoy, send, tokens };
}

const SPENT = ['{"result":"retry"}', 'challenge_replayed'];
const PASSED = ['{"result":"reload"}'];
const INCOMPLETE = ['{"result":"retry"}', 'challenge_incomplete'];
const DECOYED = ['{"result":"retry"}', 'witness_mismatch'];
/** Place of a leaf among the numbers of an upload: the first two are those of the first line. */
const at = (place: number) => 2 + 2 * place;

describe('17.3 witnesses: what a page loads shows a browser engine', () => {
  test('a page that loaded what a browser loads has passed', async () => {
    const { get, isDecoy, send, tokens } = aVisitor();
    for (const token of tokens.filter((one) => !isDecoy(one))) {
      expect((await get(token)).status).toBe(200);
    }
    expect(await send()).toEqual(PASSED);
  });

  test('people who block images pass, and so do people who block fonts', async () => {
    const withoutImages = aVisitor();
    const { images } = withoutImages.expected;
    expect(
      await withoutImages.send((sizes) =>
        images.forEach((_, place) => sizes.fill(0, at(place), at(place) + 2)),
      ),
    ).toEqual(PASSED);
    const withoutFonts = aVisitor();
    const { fonts } = withoutFonts.expected;
    expect(
      await withoutFonts.send((sizes) => fonts.forEach((_, place) => (sizes[at(place)] = 111))),
    ).toEqual(PASSED);
  });

  test('a program that loads nothing gets a fresh page and no session', async () => {
    for (const change of [
      (sizes: number[]) => sizes.fill(0, 2),
      (sizes: number[]) => sizes.splice(0),
    ]) {
      const visitor = aVisitor();
      expect(await visitor.send(change)).toEqual(INCOMPLETE);
      // Each try to guess the sizes costs a page: the right ones come too late.
      expect(await visitor.send()).toEqual(SPENT);
      expect(visitor.store.kept()).toBe(0);
    }
  });

  test('nor does one get it that is wrong about one image and one font', async () => {
    const { expected, send } = aVisitor();
    const places = [...expected.images.keys()]
      .slice(0, 1)
      .concat([...expected.fonts.keys()].slice(0, 1));
    expect(
      await send((sizes) =>
        places.forEach((place) => (sizes[at(place)] = (sizes[at(place)] ?? 0) + 7)),
      ),
    ).toEqual(INCOMPLETE);
  });

  test('what another page measured does not fit', async () => {
    const other = aVisitor().upload.evidence.readings.witnesses;
    const { send } = aVisitor();
    const sizesOf = 'value' in other ? other.value.sizes : [];
    expect(await send((sizes) => sizes.splice(0, sizes.length, ...sizesOf))).toEqual(INCOMPLETE);
  });

  test('a program that loads every URL of the page has spoiled its ticket, and no other', async () => {
    const { get, send, store, tokens } = aVisitor();
    for (const token of tokens) expect((await get(token)).status).toBe(200);
    expect(await send()).toEqual(DECOYED);
    expect(await send()).toEqual(SPENT);
    expect(store.kept()).toBe(0);
    expect(await aVisitor().send()).toEqual(PASSED);
  });

  test('more than a third of the URLs are decoys, and a decoy looks like any other', async () => {
    const { get, isDecoy, tokens } = aVisitor();
    const decoys = tokens.filter(isDecoy);
    expect(decoys.length).toBeGreaterThan(tokens.length / 3);
    const types = await Promise.all(
      decoys.map(async (token) => (await get(token)).headers['Content-Type']),
    );
    expect(new Set(types)).toEqual(new Set(['image/gif', 'font/ttf']));
  });

  test('a URL that was not made for this handshake, or is opened by hand, gives nothing and spoils nothing', async () => {
    const { get, isDecoy, send, tokens } = aVisitor();
    const decoy = tokens.find(isDecoy) ?? '';
    const wrong = [
      get(decoy, { 'sec-fetch-dest': 'document' }),
      get(`${decoy.slice(0, -1)}${decoy.endsWith('0') ? '1' : '0'}`),
      get(''),
      get(decoy.slice(0, 10)),
      get(`${decoy}00`),
    ];
    for (const { status } of await Promise.all(wrong)) expect(status).toBe(404);
    expect(await send()).toEqual(PASSED);
  });

  test('an extension may change the User-Agent of the page, and leave that of its pictures', async () => {
    const { get, isDecoy, tokens } = aVisitor();
    const real = tokens.find((token) => !isDecoy(token)) ?? '';
    expect((await get(real, { 'user-agent': 'Mozilla/5.0 (X11)' })).status).toBe(200);
  });

  test('a service worker may hand the requests on: Chromium then does not say what they are for', async () => {
    const { get, isDecoy, tokens } = aVisitor();
    const real = tokens.find((token) => !isDecoy(token)) ?? '';
    expect((await get(real, { 'sec-fetch-dest': 'empty' })).status).toBe(200);
  });

  test('the document stands in an attribute as it is drawn: nothing in it ends the attribute', () => {
    for (let page = 0; page < 500; page++) {
      const text = witnesses.issue(newTicketId(), '');
      expect(text.replaceAll(/&(?:lt|gt|quot);/g, '')).not.toMatch(/["'<&]/);
    }
  });

  test('an earlier secret still reads what it made, and other secrets do not', () => {
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
