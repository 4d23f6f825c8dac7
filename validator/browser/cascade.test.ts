import { buildSync } from 'esbuild';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { rounds } from '../../test/kit/seeded-random.ts';
import { createCascadeSheets } from '../src/challenge/cascade/sheet.ts';

/** Only the code of this reading, bundled as a global function with a sheet as its argument. */
const [PROGRAM] = buildSync({
  stdin: {
    contents: `import { cascade } from './page/sources/cascade.ts'; window.measure = (sheet) => cascade({ sheet });`,
    resolveDir: join(import.meta.dirname),
    loader: 'ts',
  },
  bundle: true,
  write: false,
}).outputFiles;

let browser: Browser;
beforeAll(async () => {
  browser = await launchPlain();
});
afterAll(() => browser.close());

describe('the widths of a style sheet', () => {
  const sheets = createCascadeSheets(['a secret', 'an earlier secret']);

  /** The widths that Chromium measures for these sheets, on a page with this zoom and doctype. */
  async function measureSheets(texts: readonly string[], zoom = 1, doctype = '<!doctype html>') {
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
    await page.setContent(`${doctype}<html style="zoom:${zoom}"><style>div{width:1px}</style>`);
    await page.evaluate(PROGRAM?.text ?? '');
    const measurements = await page.evaluate(
      (sheetTexts) =>
        sheetTexts.map((text) =>
          (globalThis as unknown as { measure: (text: string) => unknown }).measure(text),
        ),
      texts,
    );
    await page.close();
    return measurements as { side: number; widths: number[] }[];
  }

  test('Chromium measures the expected widths of any sheet, on a phone and on a page with its own style', async () => {
    const ids = Array.from({ length: rounds(100, 50) }, () => randomUUID());
    const measurements = await measureSheets(ids.map(sheets.issue));
    for (const [at, id] of ids.entries()) {
      const { side, widths } = measurements[at] ?? { side: 0, widths: [] };
      expect(side).toBe(1000);
      expect(widths.map(Math.round), id).toEqual(sheets.widths(id)[0]);
    }
  });

  test('Chromium measures the expected widths on a page without a doctype, where the browser script may run', async () => {
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const measurements = await measureSheets(ids.map(sheets.issue), 1, '');
    expect(measurements.map(({ widths }) => widths.map(Math.round))).toEqual(
      ids.map((id) => sheets.widths(id)[0]),
    );
  });

  test('Chromium measures the expected widths on a scaled page', async () => {
    const id = randomUUID();
    const [measurements] = await measureSheets([sheets.issue(id)], 1.5);
    const scale = (measurements?.side ?? 0) / 1000;
    expect(scale).toBeGreaterThan(0);
    expect(measurements?.widths.map((width) => Math.round(width / scale))).toEqual(
      sheets.widths(id)[0],
    );
  });

  test('a page that forbids styles gives no reading in a browser without constructed sheets, and no wrong widths', async () => {
    const page = await browser.newPage();
    const policy = `<meta http-equiv="Content-Security-Policy" content="style-src 'none'">`;
    await page.setContent(`<!doctype html><html><head>${policy}</head>`);
    await page.evaluate(
      `${PROGRAM?.text ?? ''};CSSStyleSheet.prototype.replaceSync = () => { throw new TypeError(); }`,
    );
    const measurements = await page.evaluate(
      `measure(${JSON.stringify(sheets.issue(randomUUID()))})`,
    );
    expect(measurements).toBeUndefined();
    await page.close();
  });

  test('each secret makes other sheets, and the widths of sheets of an earlier secret are still known', () => {
    const id = randomUUID();
    const earlier = createCascadeSheets(['an earlier secret']);
    expect(earlier.issue(id)).not.toBe(sheets.issue(id));
    expect(sheets.widths(id)[1]).toEqual(earlier.widths(id)[0]);
  });

  test('sheets differ, and the boxes of one sheet differ', () => {
    const lists = Array.from({ length: 200 }, (_, at) => sheets.widths(`ticket ${at}`)[0] ?? []);
    expect(new Set(lists.map(String)).size).toBe(200);
    const different = lists.map((widths) => new Set(widths).size);
    expect(different.filter((count) => count > 2).length).toBeGreaterThan(150);
  });
});
