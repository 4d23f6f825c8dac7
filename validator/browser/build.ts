import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build, type BuildOptions, buildSync, type Plugin, stop } from 'esbuild';
import { z } from 'zod';

/** Bundles the code that runs in visitors' browsers: at install, and at start when it is stale. */

const HERE = new URL('./', import.meta.url);
const FOLDERS = ['page', 'script', 'work'];
const DIST = new URL('../dist/', import.meta.url);
const ARTEFACT = new URL('browser.json', DIST);

/** Largest bundle, in bytes: every visitor loads one. A bigger one is a mistake. */
const MAX_BUNDLE_BYTES = 40_000;

/** Raise it when the options below change, so that older results count as stale. */
const OPTIONS_VERSION = 3;

const Artefact = z.strictObject({
  sources: z.string(),
  interstitial: z.string().min(1),
  script: z.string().min(1),
  work: z.string().min(1),
});

/** Ready-made scripts, safe to stand in a `<script>` element. */
export interface BrowserBundle {
  /** The challenge page's script. */
  readonly interstitial: string;
  /** What `GET /script.js` serves. */
  readonly script: string;
  /** The memory-hard work, which a page loads when it is asked for work. */
  readonly work: string;
}

/** Bundles the browser code into validator/dist/, whatever is there. Rejects with what went wrong. */
export function buildBrowser(): Promise<void> {
  return new Promise((resolve) => {
    keep(bundle());
    resolve();
  });
}

/**
 * The browser code, bundled now if validator/dist/ lacks it or holds one of other sources. Throws
 * when it cannot be bundled; a folder that cannot be written to only costs the next start some time.
 */
export function loadBrowserBundle(): BrowserBundle {
  return (loaded ??= load());
}

/** It stays what it was while the program runs, and settings may be read again often. */
let loaded: BrowserBundle | undefined;

function load(): BrowserBundle {
  const kept = readArtefact();
  if (kept && kept.sources === hashOfSources()) return kept;
  const fresh = bundle();
  try {
    keep(fresh);
  } catch {
    // A read-only installation: the bundle in memory serves as well.
  }
  return fresh;
}

type Artefact = z.infer<typeof Artefact>;

function bundle(): Artefact {
  return {
    sources: hashOfSources(),
    interstitial: bundleOf('page/interstitial.ts'),
    script: bundleOf('script/script.ts'),
    work: bundleOf('work/work.ts'),
  };
}

/** What makes the script of one program another one (src/challenge/program/). */
export interface Disguise {
  /** The module in place of page/form.ts. */
  readonly form: string;
  /** The same lines in another order. */
  readonly shuffled: (lines: readonly string[]) => readonly string[];
}

/** The texts that stand in for modules of the page. */
export type StandIns = Readonly<Record<'form' | 'sources', string>>;

/**
 * The challenge page's script with names and an order of its own. Made in a thread of its own, which has no environment:
 * esbuild is another program and inherits what is there, and the secrets of the settings may be. Rejects with what went
 * wrong.
 */
export function buildProgram({ form, shuffled }: Disguise): Promise<string> {
  const lines = readFileSync(new URL('page/sources.ts', HERE), 'utf8').split('\n');
  const workerData: StandIns = { form, sources: inOtherOrder(lines, shuffled).join('\n') };
  const thread = new Worker(new URL('build-thread.ts', HERE), { workerData, env: {} });
  thread.unref();
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread ended without a script.')));
  });
}

/** In the thread of buildProgram: the script with these texts in place of modules. */
export async function bundleDisguised(standIns: StandIns): Promise<string> {
  const options = { ...optionsFor('page/interstitial.ts'), plugins: [standingIn(standIns)] };
  const { outputFiles } = await build(options);
  await stop();
  return checked('page/interstitial.ts', outputFiles);
}

function standingIn({ form, sources }: StandIns): Plugin {
  return {
    name: 'stand-ins',
    setup(building) {
      const [ofForm, ofSources] = [/[\\/]page[\\/]form\.ts$/, /[\\/]page[\\/]sources\.ts$/];
      building.onLoad({ filter: ofForm }, () => ({ contents: form, loader: 'js' }));
      building.onLoad({ filter: ofSources }, () => ({ contents: sources, loader: 'ts' }));
    },
  };
}

/** The imports among themselves, and the entries of the list among themselves. */
function inOtherOrder(lines: readonly string[], shuffled: Disguise['shuffled']): string[] {
  const isImport = (line: string) => line.startsWith('import ');
  const isEntry = (line: string) => /^ +\w+(?:: \w+)?,$/.test(line);
  const imports = shuffled(lines.filter(isImport)).values();
  const entries = shuffled(lines.filter(isEntry)).values();
  return lines.map((line) => {
    const next = isImport(line) ? imports.next() : isEntry(line) ? entries.next() : undefined;
    return next?.value ?? line;
  });
}

function optionsFor(entry: string) {
  return {
    entryPoints: [fileURLToPath(new URL(entry, HERE))],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    platform: 'browser',
    legalComments: 'none',
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

function bundleOf(entry: string): string {
  return checked(entry, buildSync(optionsFor(entry)).outputFiles);
}

/** The one file that esbuild made. Throws where it cannot stand in a page. */
function checked(entry: string, outputFiles: readonly { readonly text: string }[]): string {
  const text = outputFiles[0]?.text.trim() ?? '';
  if (text === '' || Buffer.byteLength(text) > MAX_BUNDLE_BYTES) {
    throw new Error(
      `The bundle of ${entry} has ${Buffer.byteLength(text)} bytes; 1 to ${MAX_BUNDLE_BYTES} are allowed.`,
    );
  }
  if (/<\/script|<!--/i.test(text)) {
    throw new Error(`The bundle of ${entry} would end its own <script> element.`);
  }
  return text;
}

/** One file, put in place by a rename: several processes may build at once, none reads a half. */
function keep(artefact: Artefact): void {
  mkdirSync(DIST, { recursive: true });
  const temporary = new URL(`browser.${process.pid}.tmp`, DIST);
  writeFileSync(temporary, JSON.stringify(artefact));
  renameSync(temporary, ARTEFACT);
}

function readArtefact(): Artefact | undefined {
  try {
    return Artefact.parse(JSON.parse(readFileSync(ARTEFACT, 'utf8')));
  } catch {
    return undefined;
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(`options ${OPTIONS_VERSION}\n`);
  for (const folder of FOLDERS) {
    const root = new URL(`${folder}/`, HERE);
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((file) => file.endsWith('.ts')).sort()) {
      hash.update(`${folder}/${name}\n`).update(readFileSync(new URL(name, root)));
    }
  }
  return hash.digest('hex');
}
