import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { keepBundle, type KeptBundle, loadBundle } from '@guard/config/bundles/kept-bundle';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Building, bundleOf, hashOfSources, type StandIns } from './bundle.ts';

/** Bundles the code for visitors' browsers: at install, and at start when the bundle is outdated. */

const HERE = new URL('./', import.meta.url);

/** The finished scripts. Each is safe inside a `<script>` element. */
const BrowserBundle = z.strictObject({
  /** The hash of the sources from which the scripts were built. */
  sources: z.string(),
  /** The challenge page's script. */
  interstitial: z.string().min(1),
  /** The browser script, which `GET /script.js` serves. */
  script: z.string().min(1),
  /** The memory-hard work. A page loads it when work is required. */
  work: z.string().min(1),
});
export type BrowserBundle = Readonly<z.infer<typeof BrowserBundle>>;

const KEPT_BUNDLE: KeptBundle<BrowserBundle> = {
  file: new URL('../dist/browser.json', import.meta.url),
  schema: BrowserBundle,
  hashOfSources,
  bundle,
};

/** Bundles the browser code into validator/dist/, even if a bundle is there. Throws when esbuild fails. */
export function buildBrowser(): void {
  keepBundle(KEPT_BUNDLE.file, bundle());
}

/**
 * The bundle is cached, because it does not change while the process runs, and each reading of the settings needs it.
 */
let loadedBundle: BrowserBundle | undefined;

/** The browser code. It is built now if validator/dist/ has no bundle of these sources. Throws when esbuild fails. */
export function loadBrowserBundle(): BrowserBundle {
  return (loadedBundle ??= loadBundle(KEPT_BUNDLE));
}

function bundle(): BrowserBundle {
  return {
    sources: hashOfSources(),
    interstitial: bundleOf('page/interstitial.ts'),
    script: bundleOf('script/script.ts'),
    work: bundleOf('work/work.ts'),
  };
}

/** The changes that make the script of one page program (src/challenge/program/). */
export interface Disguise {
  /** The module that replaces page/form.ts. */
  readonly form: string;
  /** Returns the same lines in another order. */
  readonly shuffle: (lines: readonly string[]) => readonly string[];
}

/**
 * Scripts of this hour and of the previous hour, for two secrets, 100 kB each. A reload of the settings needs them
 * again.
 */
const builtScripts = new LRUCache<string, Promise<readonly string[]>>({ max: 4 });

/**
 * Builds one script of the challenge page for each disguise, in the order of the disguises. The same disguises are
 * built only once. The thread that builds them has no environment variables: esbuild is another program, and would
 * inherit the environment, which may contain secrets. Rejects with the error of the thread.
 */
export function buildPrograms(disguises: readonly Disguise[]): Promise<readonly string[]> {
  const lines = readFileSync(new URL('page/sources.ts', HERE), 'utf8').split('\n');
  const programs = disguises.map(({ form, shuffle }): StandIns => ({
    form,
    sources: shuffleSources(lines, shuffle).join('\n'),
  }));
  const key = JSON.stringify(programs);
  const knownScripts = builtScripts.get(key);
  if (knownScripts) return knownScripts;
  const scripts = buildInThread({ sources: loadBrowserBundle().sources, programs });
  builtScripts.set(key, scripts);
  scripts.catch(() => builtScripts.delete(key));
  return scripts;
}

function buildInThread(workerData: Building): Promise<readonly string[]> {
  const thread = new Worker(new URL('build-thread.ts', HERE), { workerData, env: {} });
  thread.unref();
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread ended without scripts.')));
  });
}

/** Shuffles the order of the imports, and separately the order of the list's entries. */
function shuffleSources(lines: readonly string[], shuffle: Disguise['shuffle']): string[] {
  const isImport = (line: string) => line.startsWith('import ');
  const isEntry = (line: string) => /^ +\w+(?:: \w+)?,$/.test(line);
  const imports = shuffle(lines.filter(isImport)).values();
  const entries = shuffle(lines.filter(isEntry)).values();
  return lines.map((line) => {
    const nextLine = isImport(line) ? imports.next() : isEntry(line) ? entries.next() : undefined;
    return nextLine?.value ?? line;
  });
}
