import { z } from 'zod';
import { refuse } from '../problems/refuse.ts';
import { MAX_PAGE_BYTES, readTextFile } from '../values/files.ts';
import { positionOf } from '../values/template-fault.ts';
import { HttpUrl } from '../values/values.ts';

/**
 * Pages of the user. guard.yaml has their paths. The pages are read together with the settings, so a missing page is
 * reported as a problem of the settings. The loader has made the paths absolute.
 */

/** The message does not repeat the path, because the problem shows it. */
function readPage(path: string): { readonly text: string } | { readonly problem: string } {
  const file = readTextFile(path, MAX_PAGE_BYTES);
  if (file.kind === 'read') return { text: file.text };
  const reason = file.kind === 'not_utf8' ? 'a file that is not UTF-8' : file.reason;
  return {
    problem: `the path of a UTF-8 file of at most 256 KiB, relative to the folder of this file; there is ${reason}`,
  };
}

/** The values that Guard fills into a user's page, each in double braces: `{{reference}}`. */
export const PAGE_PLACEHOLDERS = [
  'reference',
  'reason',
  'support',
  'language',
  'retry_after',
] as const;
export type PagePlaceholder = (typeof PAGE_PLACEHOLDERS)[number];

/** A user's page for blocks (contract 3), limits or errors. */
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

/** The first unknown word in double braces. A name with spaces around it is unknown too. */
function unknownPlaceholder(html: string) {
  for (const { 0: placeholder, index } of html.matchAll(/\{\{\s*[\w.-]{1,100}\s*\}\}/g)) {
    if (!PAGE_PLACEHOLDERS.some((name) => placeholder === `{{${name}}}`)) {
      return { ...positionOf(html, index), found: placeholder.replace(/\s+/g, ' ') };
    }
  }
  return undefined;
}

/** The words of the signal `use` of contentsignals.org. */
const ContentUse = z.enum(['immediate', 'reference', 'full']);
export type ContentUse = z.infer<typeof ContentUse>;

export type RobotsTxt =
  /**
   * The validator writes robots.txt from the rules. `license` is the normalised URL of an RSL document. `use` says what
   * crawlers may keep of the content.
   */
  | {
      readonly kind: 'managed';
      readonly license?: string | undefined;
      readonly use?: ContentUse | undefined;
    }
  | { readonly kind: 'file'; readonly path: string; readonly text: string };

/** The keyword `managed`, or the path of a file. */
const WordOrFile = z.string().transform((value, context): RobotsTxt => {
  if (value === 'managed') return { kind: 'managed' };
  const page = readPage(value);
  if ('text' in page) return { kind: 'file', path: value, text: page.text };
  return refuse(context, `expected the word managed, or ${page.problem}`);
});

const ManagedRobots = z
  .strictObject({ license: HttpUrl.optional(), use: ContentUse.optional() })
  .transform(({ license, use }): RobotsTxt => ({
    kind: 'managed',
    license: license && new URL(license).href,
    use,
  }));

export const RobotsTxt = z.union([WordOrFile, ManagedRobots]);
