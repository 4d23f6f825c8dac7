import { writeUpload } from '../../validator/src/challenge/testing/answers.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type LocalGateway, startGateway } from '../kit/product/gateway.ts';
import { type Answer, send } from '../kit/http.ts';
import { serve } from '../kit/serve.ts';
import { type TestValidator, validatorWith } from '../kit/product/validator.ts';
import { verifiedSession } from '../kit/visitors/verified-session.ts';
import { chromeHttp } from '../kit/visitors/visitors.ts';
import { person, uploadOf } from './challenged-visitor.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;
/** Pauses between the pages of a reader, in seconds. */
const READING_S = [4, 31, 9, 2, 55, 12, 7, 140, 18, 3];

const PICTURE = { ...chromeHttp, accept: 'image/avif,image/webp,*/*;q=0.8' };
/** A request of a page's script. Over plain http only Accept distinguishes it from other requests. */
const DATA = { ...chromeHttp, accept: 'application/json' };

/** A site whose answers for pictures are really pictures. */
let origin: string;
let guard: TestValidator;
let gateway: LocalGateway;
let passes = 0;

beforeAll(async () => {
  origin = await serve(({ url = '' }, response) => {
    const type = url.endsWith('.png') ? 'image/png' : url === '/data' ? 'text/plain' : 'text/html';
    response.setHeader('content-type', type).end('x');
  }, afterAll);
});
beforeEach(() => startGuarded({}));
afterEach(() => gateway.close());

async function startGuarded(challenge: Readonly<Record<string, unknown>>): Promise<void> {
  guard = validatorWith('[{ name: everybody, match: {}, detect: true, challenge: auto }]', {
    organisation: { challenge: { free_pages: { pages: 1, per: '24h' }, ...challenge } },
  });
  guard.time.now += DAY_MS;
  gateway = await startGateway(guard, { origin, clock: () => guard.time.now });
}

const visit = (path: string, cookie: string, headers: Readonly<Record<string, string>>) =>
  send(`${gateway.http}${path}`, { headers: { ...headers, cookie: `_guard=${cookie}` } });

/** A session that passed its challenge, without a browser. */
function pass(): string {
  const { store, time } = guard;
  const id = `${(0x10000000 + (passes += 1)).toString(16)}-d9cb-869f-8165-000000000001`;
  store.keepSession(id, verifiedSession({ judgedAt: time.now }), DAY_MS);
  return id;
}

interface Page {
  readonly path: string;
  readonly afterMs: number;
  /** Whether the visitor followed a link. */
  readonly isLinked?: boolean;
  /** A picture or data that the page loads, if it loads one. */
  readonly part?: string;
}

/** Loads these pages, and returns the indexes of the challenged pages. */
async function readPages(cookie: string, pages: readonly Page[], headers = chromeHttp) {
  const challengedAt: number[] = [];
  for (const [index, { path, afterMs, isLinked = false, part }] of pages.entries()) {
    guard.time.now += afterMs;
    const fields = isLinked ? { ...headers, referer: `${gateway.http}/before` } : headers;
    const { status } = await visit(path, cookie, fields);
    if (status === 403) challengedAt.push(index);
    if (part !== undefined) await visit(part, cookie, part === '/data' ? DATA : PICTURE);
  }
  return challengedAt;
}

const pages = (count: number, pageOf: (index: number) => Page) =>
  Array.from({ length: count }, (_, index) => pageOf(index));
const readingMs = (index: number) => (READING_S[(index * 7) % 10] ?? 0) * SECOND_MS;
const regular = (name: string) => (index: number) => ({
  path: `/${name}/${index}`,
  afterMs: 2 * SECOND_MS + ((index * 37) % 200),
});

/** Several sessions of people with 12 pages each, which load parts of pages, such as pictures, or no parts. */
async function people(count: number, part?: string) {
  for (let visitor = 0; visitor < count; visitor++) {
    const challengedAt = await readPages(
      pass(),
      pages(12, (index) => ({
        path: `/shop/${index}`,
        afterMs: readingMs(visitor + index),
        isLinked: index > 0,
        ...(part !== undefined && { part }),
      })),
    );
    expect(challengedAt).toEqual([]);
  }
}

const lastEvent = () => guard.events.at(-1);

/** Answers the challenge of this page. */
async function passAgain({ body }: Answer, cookie: string) {
  const ticket = /data-ticket="([^"]+)"/.exec(body)?.[1] ?? '';
  const upload = uploadOf({ ticket, session: cookie, reference: '' }, person);
  const answer = await send(`${gateway.http}/.guard/verify`, {
    method: 'POST',
    headers: { ...person.headers, 'content-type': 'application/json' },
    body: writeUpload(upload),
  });
  expect(answer.body).toBe('{"result":"reload"}');
}

test('a scraper with a pass that loads 40 pages at regular intervals is challenged from the tenth page on, and after a new pass 20 pages later', async () => {
  const { headers } = person;
  await visit('/free', '', headers);
  const { body, headers: fields } = await send(`${gateway.http}/`, { headers });
  const cookie = /_guard=([^;]+)/.exec(String(fields['set-cookie']))?.[1] ?? '';
  await passAgain({ body, headers: fields, status: 0 }, cookie);
  const challengedAt = await readPages(cookie, pages(40, regular('a')), headers);
  expect(challengedAt).toEqual(Array.from({ length: 31 }, (_, index) => 9 + index));
  expect(lastEvent()).toMatchObject({
    action: 'challenge',
    blockReasons: ['session_shape'],
    rule: 'everybody',
  });
  // Data of an open page is still allowed.
  expect((await visit('/data', cookie, { ...headers, accept: DATA.accept })).status).toBe(200);
  guard.time.now += SECOND_MS;
  await passAgain(await visit('/a/50', cookie, headers), cookie);
  expect(await readPages(cookie, pages(19, regular('b')), headers)).toEqual([]);
  expect(await readPages(cookie, pages(3, regular('c')), headers)).toEqual([0, 1, 2]);
});

test('a person whose pages have pictures, repetitions and pauses is never challenged', async () => {
  await people(25, '/a.png');
  const challengedAt = await readPages(
    pass(),
    pages(300, (index) => ({
      path: index % 3 === 0 ? '/list' : `/item/${index}`,
      afterMs: readingMs(index),
      isLinked: true,
      ...(index % 4 === 0 && { part: '/a.png' }),
    })),
  );
  expect(challengedAt).toEqual([]);
});

test('a reader who loads no parts of pages is not challenged on a site whose pages have no parts, and not before Guard has seen other readers', async () => {
  const walk = (name: string) =>
    pages(60, (index) => ({ path: `/${name}/${index}`, afterMs: readingMs(index) }));
  expect(await readPages(pass(), walk('first'))).toEqual([]);
  await people(25);
  expect(await readPages(pass(), walk('later'))).toEqual([]);
  // The browser of a person loads the next page at regular intervals, through links.
  const pageTurns = pages(40, (index) => ({ ...regular('slides')(index), isLinked: true }));
  expect(await readPages(pass(), pageTurns)).toEqual([]);
});

test('where other sessions load parts of pages, a session without parts is challenged, also with random pauses; data is a part', async () => {
  await people(25, '/data');
  const walk = pages(12, (index) => ({ path: `/a/${index}`, afterMs: readingMs(index) }));
  expect(await readPages(pass(), walk)).toEqual([9, 10, 11]);
  expect(lastEvent()?.blockReasons).toEqual(['session_shape']);
  const pageTurns = pages(12, (index) => ({ ...regular('a')(index), isLinked: true }));
  expect(await readPages(pass(), pageTurns)).toEqual([9, 10, 11]);
  // A page that is requested as data is not counted as data.
  const session = pass();
  await visit('/a/50', session, DATA);
  expect(await readPages(session, walk)).toEqual([9, 10, 11]);
  // A session with one part for each ten documents does not have this weak sign.
  const withPicture = walk.map((page, index) => ({
    ...page,
    ...(index === 3 && { part: '/a.png' }),
  }));
  expect(await readPages(pass(), withPicture)).toEqual([]);
});

test('sessions of programs do not teach Guard that parts of pages are rare', async () => {
  await people(25, '/a.png');
  for (let one = 0; one < 25; one++) {
    const pageTurns = pages(11, (index) => ({ ...regular('a')(index), isLinked: true }));
    expect(await readPages(pass(), pageTurns)).toEqual([9, 10]);
  }
});

test('a page that reloads itself, and tabs that are opened at once, do not lead to a challenge', async () => {
  const reloads = pages(100, (index) => ({ path: `/live?${index % 4}`, afterMs: 30 * SECOND_MS }));
  expect(await readPages(pass(), reloads)).toEqual([]);
  const tabs = pages(30, (index) => ({ path: `/tab/${index}`, afterMs: 100 }));
  expect(await readPages(pass(), tabs)).toEqual([]);
});

test('the pages of another session do not change the decision on a session', async () => {
  const [one, other] = [pass(), pass()];
  expect(await readPages(one, pages(9, regular('a')))).toEqual([]);
  expect(
    await readPages(
      other,
      pages(9, (index) => ({ path: `/a/${index}`, afterMs: 0 })),
    ),
  ).toEqual([]);
  expect(await readPages(one, pages(1, regular('b')))).toEqual([0]);
});

test('a foreign page cannot cause a challenge by loading frames in the browser of a visitor', async () => {
  await people(25, '/a.png');
  const frame = { ...chromeHttp, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
  const cookie = pass();
  expect(await readPages(cookie, pages(12, regular('a')), frame)).toEqual([9, 10, 11]);
  expect(await readPages(cookie, pages(5, regular('a')))).toEqual([]);
});

test('session_shape: false switches the check of the session shape off', async () => {
  await gateway.close();
  await startGuarded({ session_shape: false });
  expect(await readPages(pass(), pages(60, regular('a')))).toEqual([]);
});
