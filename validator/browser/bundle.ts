import { fileURLToPath } from 'node:url';
import { hashOfFolders } from '@guard/config/bundles/kept-bundle';
import { build, type BuildOptions, buildSync, type Plugin } from 'esbuild';

/** Uses esbuild to make one script from the modules in this folder. */

const HERE = new URL('./', import.meta.url);
const FOLDERS = ['page', 'script', 'work', '../page-contract'];

/** Raise this number when the options below change, so that Guard builds older bundles again. */
const OPTIONS_VERSION = 4;

/** Size limit of a bundle in bytes. Every visitor loads a bundle, so a larger one is a mistake. */
const MAX_BUNDLE_BYTES = 40_000;

/** The texts that replace modules of the page. */
export type StandIns = Readonly<Record<'form' | 'sources', string>>;

/** The input for the thread of buildPrograms. */
export interface Building {
  /** The result of hashOfSources at the start of this process. The code of this process reads the uploads. */
  readonly sources: string;
  readonly programs: readonly StandIns[];
}

/** The bundle of one entry, built synchronously. Throws the error of esbuild. */
export function bundleOf(entry: string): string {
  return checkedText(entry, buildSync(optionsFor(entry)).outputFiles);
}

/** The script of the challenge page, with these texts instead of modules. Rejects with the error of esbuild. */
export async function bundleDisguised(standIns: StandIns): Promise<string> {
  const entry = 'page/interstitial.ts';
  const { outputFiles } = await build({ ...optionsFor(entry), plugins: [standingIn(standIns)] });
  return checkedText(entry, outputFiles);
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
    // With fixed options, a checkout, an image and an installation build the same bundle. Otherwise esbuild would look
    // for a tsconfig.json.
    tsconfigRaw: { compilerOptions: { strict: true } },
  } as const satisfies BuildOptions;
}

/** Returns the text of the only file that esbuild made. Throws when the text is not safe inside a page. */
function checkedText(entry: string, outputFiles: readonly { readonly text: string }[]): string {
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

/** The hash of all sources of the bundles. */
export function hashOfSources(): string {
  const folders = FOLDERS.map((folder) => new URL(`${folder}/`, HERE));
  return hashOfFolders(`options ${OPTIONS_VERSION}`, folders, /\.ts$/);
}
