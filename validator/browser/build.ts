import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { z } from 'zod';

/** Bundles the code that runs in visitors' browsers: at install, and at start when it is stale. */

const PAGE = new URL('./page/', import.meta.url);
const DIST = new URL('../dist/', import.meta.url);
const ARTEFACT = new URL('browser.json', DIST);

/** Largest bundle, in bytes: it stands inside every challenge page. A bigger one is a mistake. */
const MAX_BUNDLE_BYTES = 40_000;

/** Raise it when the options below change, so that older results count as stale. */
const OPTIONS_VERSION = 1;

const Artefact = z.strictObject({ sources: z.string(), interstitial: z.string().min(1) });

/** Ready-made scripts, safe to stand in a `<script>` element. */
export interface BrowserBundle {
  /** The challenge page's script. */
  readonly interstitial: string;
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
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('interstitial.ts', PAGE))],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    platform: 'browser',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const interstitial = outputFiles[0]?.text.trim() ?? '';
  if (interstitial === '' || Buffer.byteLength(interstitial) > MAX_BUNDLE_BYTES) {
    throw new Error(
      `The challenge page's script has ${Buffer.byteLength(interstitial)} bytes; 1 to ${MAX_BUNDLE_BYTES} are allowed.`,
    );
  }
  if (/<\/script|<!--/i.test(interstitial)) {
    throw new Error("The challenge page's script would end its own <script> element.");
  }
  return { sources: hashOfSources(), interstitial };
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
  const names = readdirSync(PAGE, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((file) => file.endsWith('.ts')).sort()) {
    hash.update(`${name}\n`).update(readFileSync(new URL(name, PAGE)));
  }
  return hash.digest('hex');
}
