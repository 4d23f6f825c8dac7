import { describe, expect, test } from 'vitest';
import { SessionShape, type Shape } from './session-shape.ts';

const SECOND_MS = 1_000;
const START_MS = Date.UTC(2026, 10, 21);

interface Step {
  readonly path: string;
  readonly afterMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly referrer?: string;
}

/** The shapes of all stretches that these steps complete. */
function shapesOf(steps: readonly Step[], shape = new SessionShape({ count: 0 })): Shape[] {
  let nowMs = START_MS;
  const shapes: Shape[] = [];
  for (const { path, afterMs, headers = {}, referrer = '' } of steps) {
    nowMs += afterMs;
    const [pathname = '', query = ''] = path.split('?');
    const url = { scheme: 'https', host: 'shop.example', path: pathname, query };
    const shapeOfStretch = shape.add({ url, headers, referrer }, nowMs);
    if (shapeOfStretch) shapes.push(shapeOfStretch);
  }
  return shapes;
}

const steps = (count: number, stepOf: (index: number) => Step) =>
  Array.from({ length: count }, (_, index) => stepOf(index));

/** Seconds between the documents of a person who reads them. */
const READING_S = [4, 31, 9, 2, 55, 12, 7, 140, 18, 3];
const readingMs = (index: number) => (READING_S[index % READING_S.length] ?? 0) * SECOND_MS;

describe('a stretch of ten documents', () => {
  test('is regular and a walk when different documents come at regular intervals, even when only their queries differ', () => {
    for (const path of ['/a', '/a?id=']) {
      const [shape, ...others] = shapesOf(
        steps(10, (index) => ({ path: `${path}${index}`, afterMs: 3 * SECOND_MS + index * 100 })),
      );
      expect(shape).toEqual({ hasParts: false, isRegular: true, isWalk: true });
      expect(others).toEqual([]);
    }
  });

  test('is not regular when the pauses are those of a person', () => {
    const [shape] = shapesOf(steps(10, (i) => ({ path: `/a${i}`, afterMs: readingMs(i) })));
    expect(shape?.isRegular).toBe(false);
  });

  test('is no walk when documents repeat, or when the visitor followed links to the documents', () => {
    const regular = { afterMs: 2 * SECOND_MS };
    const repeatedSteps = steps(12, (i) => ({ ...regular, path: i === 6 ? '/a1' : `/a${i}` }));
    const stepsWithReferrer = steps(10, (i) => ({
      ...regular,
      path: `/a${i}`,
      referrer: 'https://s.example/',
    }));
    const stepsByLink = steps(10, (i) => ({
      ...regular,
      path: `/a${i}`,
      headers: { 'sec-fetch-site': 'same-origin' },
    }));
    const stepsByAddress = stepsByLink.map((step) => ({
      ...step,
      headers: { 'sec-fetch-site': 'none' },
    }));
    const walks = [repeatedSteps, stepsWithReferrer, stepsByLink, stepsByAddress].map(
      (all) => shapesOf(all)[0]?.isWalk,
    );
    expect(walks).toEqual([false, false, false, true]);
  });

  test('never ends when one page reloads itself, or when the same few pages load in turn', () => {
    for (const pages of [1, 9]) {
      const stepsInTurn = steps(500, (i) => ({ path: `/a${i % pages}`, afterMs: 30 * SECOND_MS }));
      expect(shapesOf(stepsInTurn)).toEqual([]);
    }
  });

  test('tabs opened together are one event, and more tabs than a person opens are too fast', () => {
    const tabs = steps(30, (i) => ({ path: `/a${i}`, afterMs: 200 }));
    expect(shapesOf(tabs)).toEqual([]);
    const tenTimes = steps(100, (i) => ({
      path: `/a${i}`,
      afterMs: i % 10 === 0 ? readingMs(i / 10) : 200,
      headers: { 'sec-fetch-site': 'same-origin' },
    }));
    expect(shapesOf(tenTimes).map(({ isRegular }) => isRegular)).toEqual([false]);
    const flood = steps(31, (i) => ({ path: `/a${i}`, afterMs: 200 }));
    expect(shapesOf(flood)).toEqual([{ hasParts: false, isRegular: true, isWalk: true }]);
  });

  test('on a walk, one document every three seconds is too fast, whatever the pauses are, and in bursts too', () => {
    const walk = { hasParts: false, isRegular: true, isWalk: true };
    const pauses = [1.1, 4, 1.3, 1.9, 3.2];
    const walkWith = (unitMs: number) =>
      steps(10, (i) => ({ path: `/a${i}`, afterMs: (pauses[i % 5] ?? 0) * unitMs }));
    expect(shapesOf(walkWith(SECOND_MS))).toEqual([walk]);
    expect(shapesOf(walkWith(2 * SECOND_MS))).toEqual([{ ...walk, isRegular: false }]);
    const bursts = (atOnce: number, pauseMs: number) =>
      steps(31, (i) => ({ path: `/a${i}`, afterMs: i % atOnce === 0 ? pauseMs : 100 }));
    expect(shapesOf(bursts(25, 4 * SECOND_MS))).toEqual([walk]);
    // A person opens the bookmarks of one folder, and 91 seconds later those of the next folder.
    expect(shapesOf(bursts(25, 91 * SECOND_MS))).toEqual([]);
  });

  test('many tabs that a person opens by links are no walk, however fast they come', () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const tabs = steps(90, (i) => ({
      path: `/a${i}`,
      afterMs: i % 20 === 0 ? 2 * SECOND_MS : 200,
      headers,
    }));
    expect(shapesOf(tabs)).toEqual([]);
  });

  test('a list page that is loaded again between bursts of tabs separates the bursts', () => {
    const visits = steps(66, (i) => ({
      path: i % 11 === 0 ? '/list' : `/a${i}`,
      afterMs: i % 11 === 0 ? readingMs(i / 11) + SECOND_MS : 200,
    }));
    expect(shapesOf(visits)).toEqual([]);
  });

  test('counts only the parts since the previous stretch', () => {
    const parts = { count: 0 };
    const shape = new SessionShape(parts);
    const partsOfTenDocuments = (name: string) =>
      shapesOf(
        steps(10, (i) => ({ path: `/${name}${i}`, afterMs: readingMs(i) })),
        shape,
      ).map(({ hasParts }) => hasParts);
    parts.count += 1;
    expect([partsOfTenDocuments('a'), partsOfTenDocuments('b')]).toEqual([[true], [false]]);
  });
});

test('each time a program is found, the next stretch is twice as long, up to 80 documents, and the result is valid for one pass', () => {
  const shape = new SessionShape({ count: 0 });
  let documentCount = 0;
  const lengths = [1, 2, 3, 4, 5].map((pass) => {
    const countBefore = documentCount;
    expect(shape.isProgram(pass)).toBe(false);
    while (
      shapesOf([{ path: `/a${documentCount}`, afterMs: documentCount * 2 * SECOND_MS }], shape)
        .length === 0
    )
      documentCount += 1;
    documentCount += 1;
    shape.noteProgram(pass);
    expect(shape.isProgram(pass)).toBe(true);
    return documentCount - countBefore;
  });
  // The lengths are not exact: the table of paths is small, so a new path sometimes seems to repeat.
  expect(lengths.map((length) => Math.floor(length / 10) * 10)).toEqual([10, 20, 40, 80, 80]);
});

test('80 documents are a walk, because few of them seem to repeat in the table of paths', () => {
  const shape = new SessionShape({ count: 0 });
  for (const pass of [1, 2, 3]) shape.noteProgram(pass);
  let walks = 0;
  for (let turn = 0; turn < 100; turn++) {
    const stepsOfWalk = steps(90, (i) => ({
      path: `/products/${turn}/${i}`,
      afterMs: 2 * SECOND_MS,
    }));
    walks += shapesOf(stepsOfWalk, shape).filter(({ isWalk }) => isWalk).length;
  }
  expect(walks).toBeGreaterThan(70);
});
