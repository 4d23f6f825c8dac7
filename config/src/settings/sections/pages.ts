import { z } from 'zod';
import { refuse } from '../problems/refuse.ts';
import { MAX_PAGE_BYTES, readTextFile } from '../values/files.ts';
import { positionOf } from '../values/template-fault.ts';
import { HttpUrl } from '../values/values.ts';

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

/** What Guard fills into a page of the user's own, each in braces: `{{reference}}`. */
export const PAGE_PLACEHOLDERS = [
  'reference',
  'reason',
  'support',
  'language',
  'retry_after',
] as const;
export type PagePlaceholder = (typeof PAGE_PLACEHOLDERS)[number];

/** A page of the user's own for blocks (contract 3), limits or errors. */
export const OwnPage = z.string().transform((path, context) => {
  const page = readPage(path);
  if ('problem' in page) return refuse(context, `expected ${page.problem}`);
  const fault = unknownPlaceholder(page.text);
  if (fault === undefined) return { path, html: page.text };
  return refuse(
    context,
    `expected a page without faults; its line ${fault.line}, column ${fault.column}: there is no placeholder ${fault.found}; it may have ${PAGE_PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}`,
  );
});
export type OwnPage = Readonly<z.infer<typeof OwnPage>>;

/** The first word in double braces that Guard does not fill in. With a space inside it is none that Guard knows. */
function unknownPlaceholder(html: string) {
  for (const { 0: found, index } of html.matchAll(/\{\{\s*[\w.-]{1,100}\s*\}\}/g)) {
    if (!PAGE_PLACEHOLDERS.some((name) => found === `{{${name}}}`)) {
      return { ...positionOf(html, index), found: found.replace(/\s+/g, ' ') };
    }
  }
  return undefined;
}

export type RobotsTxt =
  /** Written by the validator from the rules. `license` is the URL of an RSL document, in its normal form: one line. */
  | { readonly kind: 'managed'; readonly license?: string }
  | { readonly kind: 'file'; readonly path: string; readonly text: string };

/** The word `managed`, or the path of a file. */
const WordOrFile = z.string().transform((value, context): RobotsTxt => {
  if (value === 'managed') return { kind: 'managed' };
  const page = readPage(value);
  if ('text' in page) return { kind: 'file', path: value, text: page.text };
  return refuse(context, `expected the word managed, or ${page.problem}`);
});

/** A managed one that names a licence. */
const Licensed = z
  .strictObject({ license: HttpUrl })
  .transform(({ license }): RobotsTxt => ({ kind: 'managed', license: new URL(license).href }));

export const RobotsTxt = z.union([WordOrFile, Licensed]);
