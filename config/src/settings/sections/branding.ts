import { z } from 'zod';
import { refuse } from '../problems/refuse.ts';
import { AccentColour, Colour } from '../values/colour.ts';
import { readBytes, readTextFile } from '../values/files.ts';
import { templateFault } from '../values/template-fault.ts';

/**
 * The name, logo and colours of an organisation on the pages that visitors see. Files are read with the settings, so a
 * bad file is reported as a problem of the settings. The limits are small, because every served page contains the name,
 * the logo and the colours.
 */

/** Largest logo, in bytes. */
export const MAX_LOGO_BYTES = 16 * 1024;
/** Largest challenge page of the user, in bytes. */
export const MAX_TEMPLATE_BYTES = 32 * 1024;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** An SVG or PNG file as a `data:` URL. An SVG in an `<img>` runs no scripts and fetches nothing. */
const Logo = z.string().transform((path, context) => {
  const file = readBytes(path, MAX_LOGO_BYTES);
  const type = file.kind === 'read' ? imageType(file.bytes) : undefined;
  if (file.kind === 'read' && type !== undefined) {
    return { path, dataUrl: `data:${type};base64,${file.bytes.toString('base64')}` };
  }
  const found = file.kind === 'read' ? 'a file of another kind' : file.reason;
  return refuse(
    context,
    `expected the path of an SVG or PNG file of at most ${MAX_LOGO_BYTES / 1024} KiB, relative to the folder of this file; there is ${found}`,
  );
});

function imageType(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  const start = bytes.subarray(0, 1024).toString('utf8');
  return /^\uFEFF?\s*(?:<\?xml|<!--|<!doctype svg|<svg)[^]*<svg|^\uFEFF?\s*<svg/i.test(start)
    ? 'image/svg+xml'
    : undefined;
}

/** The place where people get help: `label` is shown, and links to `href`. */
const Support = z.string().transform((text, context) => {
  if (/^[^\s@<>"'?&]{1,64}@[a-z0-9.-]{1,190}$/i.test(text)) {
    return { label: text, href: `mailto:${text}` };
  }
  const url = /^https?:\/\/[^\s]{1,500}$/.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url !== null && url.username === '' && url.password === '') {
    return { label: `${url.host}${url.pathname.replace(/\/$/, '')}`, href: url.href };
  }
  return refuse(
    context,
    'expected an e-mail address, or a URL that begins with https:// or http://',
  );
});

export const Branding = z.strictObject({
  name: z.string().trim().min(1).max(60).optional(),
  logo: Logo.optional(),
  accent: AccentColour.optional(),
  background: Colour.optional(),
  background_dark: Colour.optional(),
  support: Support.optional(),
});
export type Branding = Readonly<z.infer<typeof Branding>>;

/** A challenge page of the user. template-fault.ts checks its placeholders and elements. */
export const ChallengeTemplate = z.string().transform((path, context) => {
  const file = readTextFile(path, MAX_TEMPLATE_BYTES);
  if (file.kind !== 'read') {
    const found = file.kind === 'not_utf8' ? 'a file that is not UTF-8' : file.reason;
    return refuse(
      context,
      `expected the path of a UTF-8 file of at most ${MAX_TEMPLATE_BYTES / 1024} KiB, relative to the folder of this file; there is ${found}`,
    );
  }
  const fault = templateFault(file.text);
  if (fault === undefined) return { path, html: file.text };
  return refuse(
    context,
    `expected a page without faults; its line ${fault.line}, column ${fault.column}: ${fault.message}`,
  );
});
export type ChallengeTemplate = Readonly<z.infer<typeof ChallengeTemplate>>;
