import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { buildBrowser, loadBrowserBundle } from './build.ts';
import type { Building } from './bundle.ts';

describe('the bundle of the browser code', () => {
  test('is written to dist and read back unchanged', () => {
    buildBrowser();
    const writtenBundle: unknown = JSON.parse(
      readFileSync(new URL('../dist/browser.json', import.meta.url), 'utf8'),
    );
    const { interstitial, script } = loadBrowserBundle();
    expect(writtenBundle).toMatchObject({ interstitial, script });
  });

  test('is not built when the sources have changed since the start', async () => {
    const workerData: Building = { sources: 'of an earlier version', programs: [] };
    const thread = new Worker(new URL('build-thread.ts', import.meta.url), { workerData, env: {} });
    const [error] = (await once(thread, 'error')) as [Error];
    expect(error.message).toContain('have changed since the start');
  });

  test('contains no code of the server and no address', () => {
    const { interstitial, script } = loadBrowserBundle();
    for (const text of [interstitial, script]) {
      expect(text).not.toMatch(/zod|node:|require\(|https?:\/\/[a-z]/);
    }
    expect(interstitial).toContain('_guard_ref');
    expect(script).toContain('GuardInitialized');
  });

  test('of the browser script does not change the address or the storage of its page', () => {
    const { script } = loadBrowserBundle();
    expect(script).not.toMatch(/location\.(?:reload|assign|replace)|location\s*=[^=]/);
    expect(script).not.toMatch(/localStorage|_guard_ref/);
  });

  test('of the challenge page only reloads, and never assigns a location (contract 3)', () => {
    const { interstitial } = loadBrowserBundle();
    expect(interstitial).toContain('location.reload()');
    expect(interstitial).not.toMatch(
      /location\s*=[^=]|\.href\s*=[^=]|location\.(?:assign|replace)/,
    );
  });
});
