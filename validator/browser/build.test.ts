import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { buildBrowser, loadBrowserBundle } from './build.ts';
import type { Building } from './bundle.ts';

describe('the bundle of the browser code', () => {
  test('is built into dist and read back as it was built', () => {
    buildBrowser();
    const kept: unknown = JSON.parse(
      readFileSync(new URL('../dist/browser.json', import.meta.url), 'utf8'),
    );
    const { interstitial, script } = loadBrowserBundle();
    expect(kept).toMatchObject({ interstitial, script });
  });

  test('is not built from other sources than those of the start: an update in place waits for a restart', async () => {
    const workerData: Building = { sources: 'of an earlier version', programs: [] };
    const thread = new Worker(new URL('build-thread.ts', import.meta.url), { workerData, env: {} });
    const [error] = (await once(thread, 'error')) as [Error];
    expect(error.message).toContain('have changed since the start');
  });

  test('brings nothing of the server along and knows no address', () => {
    const { interstitial, script } = loadBrowserBundle();
    for (const text of [interstitial, script]) {
      expect(text).not.toMatch(/zod|node:|require\(|https?:\/\/[a-z]/);
    }
    expect(interstitial).toContain('_guard_ref');
    expect(script).toContain('GuardInitialized');
  });

  test('of the browser script leaves the address and the storage of its page alone', () => {
    const { script } = loadBrowserBundle();
    expect(script).not.toMatch(/location\.(?:reload|assign|replace)|location\s*=[^=]/);
    expect(script).not.toMatch(/localStorage|_guard_ref/);
  });

  test('goes to no other URL: it reloads, and assigns no location (contract 3)', () => {
    const { interstitial } = loadBrowserBundle();
    expect(interstitial).toContain('location.reload()');
    expect(interstitial).not.toMatch(
      /location\s*=[^=]|\.href\s*=[^=]|location\.(?:assign|replace)/,
    );
  });
});
