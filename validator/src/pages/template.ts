import { escapeHtml } from './escape-html.ts';

/** Fills a template, and returns UTF-8. Texts are escaped. Bytes are HTML of our own, and are copied. */
export type Fill<Name extends string> = (
  values: Readonly<Record<Name, string | Uint8Array>>,
) => Buffer;

/**
 * Splits HTML at its `{{name}}` placeholders once. Most of a page is the same each time, so the pieces are kept as
 * bytes. Throws for a placeholder that is not in `names`, and for a name without a placeholder. The texts of `raw` are
 * already escaped.
 */
export function compileTemplate<Name extends string>(
  html: string,
  names: readonly Name[],
  raw: readonly Name[] = [],
): Fill<Name> {
  // split() with a group returns: literal, name, literal, name, …, literal.
  const [head = '', ...rest] = html.split(/\{\{(\w+)\}\}/);
  const pieces: { readonly name: Name; readonly isRaw: boolean; readonly literal: Buffer }[] = [];
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
    return page;
  };
}
