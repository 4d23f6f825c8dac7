import { z } from 'zod';
import { refuse } from './refuse.ts';
import { MAX_PAGE_BYTES, readTextFile } from './files.ts';

/**
 * Texts that guard.yaml names by path. They are read while the settings are, so a page
 * that is missing is a problem of the settings file and never one of a visitor. The loader has made
 * the paths absolute.
 */

/** The text of a page, or why there is none. The path is not repeated: the problem shows it. */
function readPage(path: string): { readonly text: string } | { readonly problem: string } {
  const file = readTextFile(path, MAX_PAGE_BYTES);
  if (file.kind === 'read') return { text: file.text };
  const reason = file.kind === 'not_utf8' ? 'a file that is not UTF-8' : file.reason;
  return { problem: `a UTF-8 file of at most 256 KiB, relative to this one; there is ${reason}` };
}

/** A custom block page (contract 3). */
export const BlockPage = z.string().transform((path, context) => {
  const page = readPage(path);
  if ('text' in page) return { path, html: page.text };
  return refuse(context, `expected ${page.problem}`);
});
export type BlockPage = Readonly<z.infer<typeof BlockPage>>;

export type RobotsTxt =
  /** Written by the validator from the rules. */
  | { readonly kind: 'managed' }
  | { readonly kind: 'file'; readonly path: string; readonly text: string };

/** The word `managed`, or the path of a file. */
export const RobotsTxt = z.string().transform((value, context): RobotsTxt => {
  if (value === 'managed') return { kind: 'managed' };
  const page = readPage(value);
  if ('text' in page) return { kind: 'file', path: value, text: page.text };
  return refuse(context, `expected the word managed, or ${page.problem}`);
});
