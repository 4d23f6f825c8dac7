import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MARKER_FONTS } from '../../validator/page-contract/marker-fonts.ts';
import { untilInTime } from '../../validator/browser/testing/patient-visits.ts';
import { startSite, type Site } from '../../validator/browser/testing/test-site.ts';
import { PARTITION_MEASURED } from '../../validator/src/challenge/evidence/judges/automation-flags.ts';
import { valueOfReading, Upload, type Readings } from '../../validator/page-contract/evidence.ts';
import { type DeskBrowser, deskChromium, deskFirefox } from '../kit/browsers/desk-browsers.ts';
import { poll } from '../kit/http.ts';
import { type Relay, startRelay } from '../kit/peers/relay.ts';
import { hasDesk, hasFirefox, hasWindowedChromium } from '../kit/tools.ts';
import { useDesk } from '../kit/browsers/use-desk.ts';

/**
 * These tests read the readings of the challenge page in the browsers of people. With such readings people pass after a
 * little work and one reload.
 */

let site: Site;
let relay: Relay;
const uploads: Upload[] = [];
/** The requests for the page and the uploads, in order. */
const requestedPaths: string[] = [];

beforeAll(async () => {
  site = await startSite();
  site.work = 2;
  relay = await startRelay(site.url, ({ method, url, body }) => {
    if (url === '/' || method === 'POST') requestedPaths.push(`${method} ${url}`);
    if (url === '/.guard/verify') uploads.push(Upload.parse(JSON.parse(body.toString())));
  });
});
afterAll(async () => {
  await relay.close();
  site.server.closeAllConnections();
  site.server.close();
});

describe.skipIf(!hasDesk)('at a desk', () => {
  const { open } = useDesk();

  const readingsOf = (browser: DeskBrowser) =>
    untilInTime(
      () => readingsOfVisit(browser),
      (readings) => readings,
    );

  /** The readings of a person who only opens the page. */
  async function readingsOfVisit(browser: DeskBrowser): Promise<Readings> {
    const countBefore = site.outcomes.length;
    requestedPaths.length = 0;
    await open(browser, { urls: [`http://127.0.0.1:${relay.port}/`] });
    const outcomes = await poll(
      () => Promise.resolve(site.outcomes.slice(countBefore)),
      (found) => found.length > 1,
    );
    expect(outcomes.map(({ kind, reasons }) => [kind, reasons])).toEqual([
      ['work', []],
      ['verified', []],
    ]);
    const oneReload = ['GET /', 'POST /.guard/verify', 'POST /.guard/verify', 'GET /'];
    await poll(
      () => Promise.resolve(requestedPaths.length),
      (count) => count >= oneReload.length,
    );
    expect(requestedPaths).toEqual(oneReload);
    const upload = uploads.at(-1);
    if (!upload) throw new Error('there is no upload');
    return upload.evidence.readings;
  }

  test.skipIf(!hasWindowedChromium)(
    'Chromium passes, and its readings are as expected for Chromium on Linux',
    async () => {
      const readings = await readingsOf(deskChromium);
      const { media, fonts, painting, flooding, partition, hints } = readings;
      expect(readings.sharedWorker).toMatchObject({ value: valueOfReading(readings.worker) });
      expect(valueOfReading(readings.sharedWorker)?.fullVersions).toBeGreaterThan(0);
      expect(readings.desktop).toMatchObject({ value: { points: true, hovers: true } });
      expect(readings.activation).toEqual({ value: { before: false, after: false, inputs: 0 } });
      expect(flooding).toEqual({ value: { asked: 201, granted: 0 } });
      expect(partition).toEqual({ value: { crossed: false } });
      const ownBrand = valueOfReading(hints)?.brands.find(({ brand }) => brand === 'Chromium');
      expect(Number(ownBrand?.version)).toBeLessThanOrEqual(PARTITION_MEASURED);
      expect(media).toMatchObject({ value: { vp9: { plays: 'probably', streams: true } } });
      const presentFonts = valueOfReading(fonts) ?? [];
      expect(MARKER_FONTS.linux.some((name) => presentFonts.includes(name))).toBe(true);
      expect(painting).toMatchObject({ value: { visible: true } });
    },
  );

  test.skipIf(!hasFirefox)(
    'Firefox passes, and the page does not read its formats and fonts',
    async () => {
      const readings = await readingsOf(deskFirefox);
      const { media, fonts, painting, flooding } = readings;
      expect(readings.sharedWorker).toMatchObject({ value: valueOfReading(readings.worker) });
      expect(readings.desktop).toMatchObject({ value: { points: true, hovers: true } });
      expect(readings.activation).toEqual({ unread: 'absent' });
      expect(flooding).toEqual({ value: { asked: 1_001, granted: 0 } });
      expect([media, fonts]).toEqual([{ unread: 'absent' }, { unread: 'absent' }]);
      expect(painting).toMatchObject({ value: { visible: true } });
    },
  );
});
