import { fileURLToPath } from 'node:url';
import { hashOfFolders } from '@guard/config/bundles/kept-bundle';
import { build, type BuildOptions, buildSync, type Plugin } from 'esbuild';

/** How esbuild makes one script of the modules beside this file. */

const HERE = new URL('./', import.meta.url);
const FOLDERS = ['page', 'script', 'work', '../page-contract'];

/** Raise it when the options below change, so that older results count as stale. */
const OPTIONS_VERSION = 4;

/** Largest bundle, in bytes: every visitor loads one. A bigger one is a mistake. */
const MAX_BUNDLE_BYTES = 40_000;

/** The texts that stand in for modules of the page. */
export type StandIns = Readonly<Record<'form' | 'sources', string>>;

/** What the thread of buildPrograms is given. */
export interface Building {
  /** hashOfSources when the process started, whose server reads the uploads. */
  readonly sources: string;
  readonly programs: readonly StandIns[];
}

/** The bundle of one entry, made while the caller waits. Throws with what went wrong. */
export function bundleOf(entry: string): string {
  return checked(entry, buildSync(optionsFor(entry)).outputFiles);
}

/** The script of the challenge page, with these texts in place of modules. Rejects with what went wrong. */
export async function bundleDisguised(standIns: StandIns): Promise<string> {
  const entry = 'page/interstitial.ts';
  const { outputFiles } = await build({ ...optionsFor(entry), plugins: [standingIn(standIns)] });
  return checked(entry, outputFiles);
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
    // The same strict script in a checkout, an image and an installation: esbuild would look for a tsconfig.json.
    tsconfigRaw: { compilerOptions: { strict: true } },
  } as const satisfies BuildOptions;
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

/** The hash of all that the bundles are made of. */
export function hashOfSources(): string {
  const folders = FOLDERS.map((folder) => new URL(`${folder}/`, HERE));
  return hashOfFolders(`options ${OPTIONS_VERSION}`, folders, /\.ts$/);
}
