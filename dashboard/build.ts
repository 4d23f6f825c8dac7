import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  hashOfFolders,
  keepBundle,
  type KeptBundle,
  loadBundle,
} from '@guard/config/bundles/kept-bundle';
import { buildSync } from 'esbuild';
import { z } from 'zod';

/**
 * This module bundles the page of the dashboard. It runs when Guard is installed, and at a start with an outdated
 * bundle.
 */

const HERE = new URL('./', import.meta.url);
const SOURCES = new URL('page/', HERE);
/** Modules with texts for people, which commands also use. */
const PLAIN_WORDS = new URL('../config/src/plain-words/', HERE);
const DIST = new URL('dist/', HERE);

/** A file that never changes, because its name contains a hash of its content. */
const PageAsset = z.strictObject({
  /** The value of Content-Type. */
  type: z.string(),
  body: z.string(),
});
type PageAsset = Readonly<z.infer<typeof PageAsset>>;

const Artefact = z.strictObject({
  sources: z.string(),
  html: z.string().min(1),
  assets: z.record(z.string(), PageAsset),
});
type Artefact = z.infer<typeof Artefact>;

interface Page {
  readonly html: string;
  /** The files by path, such as `/assets/app-3f2a.js`. */
  readonly assets: ReadonlyMap<string, PageAsset>;
}

const PAGE_BUNDLE: KeptBundle<Artefact> = {
  file: new URL('page.json', DIST),
  schema: Artefact,
  hashOfSources,
  bundle,
};

/** Bundles the page into dashboard/dist/, even if a bundle exists. Throws when esbuild fails. */
export function buildPage(): void {
  keepBundle(PAGE_BUNDLE.file, bundle());
}

/** Loads the page. Bundles it first if dashboard/dist/ has no bundle of these sources. Throws when esbuild fails. */
export function loadPage(): Page {
  const { html, assets } = loadBundle(PAGE_BUNDLE);
  return { html, assets: new Map(Object.entries(assets)) };
}

function bundle(): Artefact {
  const sources = hashOfSources();
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('main.tsx', SOURCES))],
    outdir: fileURLToPath(DIST),
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    // These options replace the tsconfig of the repository, because that one is for Node.
    tsconfigRaw: '{}',
  });
  const script = textOf(outputFiles, '.js');
  const style = textOf(outputFiles, '.css');
  const scriptPath = `/assets/app-${hashOf(script)}.js`;
  const stylePath = `/assets/app-${hashOf(style)}.css`;
  return {
    sources,
    html: htmlOf(scriptPath, stylePath),
    assets: {
      [scriptPath]: { type: 'text/javascript; charset=utf-8', body: script },
      [stylePath]: { type: 'text/css; charset=utf-8', body: style },
    },
  };
}

function textOf(files: readonly { path: string; text: string }[], ending: string): string {
  const text = files.find(({ path }) => path.endsWith(ending))?.text;
  if (text === undefined || text === '') throw new Error(`The bundle has no ${ending} file.`);
  return text;
}

/** The icon is a data: URL, so that the browser does not ask for /favicon.ico. */
const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#1d5fd1" d="M16 2 4 6v9c0 8 5 13 12 15 7-2 12-7 12-15V6z"/><path fill="none" stroke="#fff" stroke-width="3" d="m10 16 4 4 8-9"/></svg>',
  );

function htmlOf(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Guard</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body><div id="page"><noscript>This page needs JavaScript.</noscript></div></body>
</html>
`;
}

/** The hash also covers this file, which has the options of esbuild and the HTML. */
function hashOfSources(): string {
  const self = readFileSync(new URL('build.ts', HERE), 'utf8');
  return hashOfFolders(self, [SOURCES, PLAIN_WORDS], /(?<!\.test)\.(?:tsx?|css)$/);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
