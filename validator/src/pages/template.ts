import { escapeHtml } from './escape-html.ts';
import { deflatePiece, type GzipPiece, joinGzip } from './gzip.ts';

/** A template with its values. */
export interface FilledTemplate {
  /** The HTML text in UTF-8. */
  readonly html: Buffer;
  /** Returns the HTML in gzip. Each call compresses again. */
  readonly gzip: () => Buffer;
}

/** Fills a template. Texts are escaped. Bytes are HTML of Guard that many pages share, and are not escaped. */
export type Fill<Name extends string> = (
  values: Readonly<Record<Name, string | Uint8Array>>,
) => FilledTemplate;

/** Literals shorter than this are compressed together with the values around them. */
const MIN_LITERAL_BYTES = 512;

interface Piece<Name> {
  readonly name: Name;
  readonly isRaw: boolean;
  readonly literal: Buffer;
}

/**
 * Splits HTML once at its `{{name}}` placeholders. Most of a page never changes, so its literal pieces are kept as
 * bytes. Throws for a placeholder that is not in `names`, and for a name without a placeholder. The values with names
 * in `raw` are already escaped.
 */
export function compileTemplate<Name extends string>(
  html: string,
  names: readonly Name[],
  raw: readonly Name[] = [],
): Fill<Name> {
  // split() with a group returns: literal, name, literal, name, …, literal.
  const [head = '', ...rest] = html.split(/\{\{(\w+)\}\}/);
  const pieces: Piece<Name>[] = [];
  for (let index = 0; index < rest.length; index += 2) {
    const name = names.find((candidate) => candidate === rest[index]);
    if (name === undefined) throw new Error(`unknown placeholder {{${rest[index] ?? ''}}}`);
    pieces.push({ name, isRaw: raw.includes(name), literal: Buffer.from(rest[index + 1] ?? '') });
  }
  const missing = names.find((name) => !pieces.some((piece) => piece.name === name));
  if (missing !== undefined) throw new Error(`the template has no placeholder {{${missing}}}`);
  const headBytes = Buffer.from(head);
  const fixedLength = pieces.reduce((sum, { literal }) => sum + literal.length, headBytes.length);
  return (values) => {
    let length = fixedLength;
    const texts = pieces.map(({ name, isRaw }) => {
      const value = values[name];
      const text = isRaw || typeof value !== 'string' ? value : escapeHtml(value);
      length += Buffer.byteLength(text);
      return text;
    });
    const page = Buffer.allocUnsafe(length);
    let offset = headBytes.copy(page);
    pieces.forEach(({ literal }, place) => {
      const text = texts[place] ?? '';
      if (typeof text === 'string') offset += page.write(text, offset);
      else {
        page.set(text, offset);
        offset += text.length;
      }
      offset += literal.copy(page, offset);
    });
    return {
      html: page,
      gzip: () => {
        const parts = [gzipLiteral(headBytes)];
        pieces.forEach(({ literal }, place) => {
          const text = texts[place] ?? '';
          const value =
            typeof text === 'string'
              ? { length: Buffer.byteLength(text), deflated: undefined }
              : gzipLiteral(text);
          parts.push(value, gzipLiteral(literal));
        });
        return joinGzip(page, parts);
      },
    };
  };
}

/** The compressed forms of bytes that many pages share. */
const deflatedBytes = new WeakMap<Uint8Array, Buffer>();

function gzipLiteral(bytes: Uint8Array): GzipPiece {
  const { length } = bytes;
  if (length < MIN_LITERAL_BYTES) return { length, deflated: undefined };
  let deflated = deflatedBytes.get(bytes);
  if (deflated === undefined) deflatedBytes.set(bytes, (deflated = deflatePiece(bytes)));
  return { length, deflated };
}
