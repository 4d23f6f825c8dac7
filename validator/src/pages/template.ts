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
  for (let at = 0; at < rest.length; at += 2) {
    const name = names.find((known) => known === rest[at]);
    if (name === undefined) throw new Error(`unknown placeholder {{${rest[at] ?? ''}}}`);
    pieces.push({ name, isRaw: raw.includes(name), literal: Buffer.from(rest[at + 1] ?? '') });
  }
  const missing = names.find((name) => !pieces.some((piece) => piece.name === name));
  if (missing !== undefined) throw new Error(`the template has no placeholder {{${missing}}}`);
  const first = Buffer.from(head);
  const fixed = pieces.reduce((sum, { literal }) => sum + literal.length, first.length);
  return (values) => {
    let length = fixed;
    const texts = pieces.map(({ name, isRaw }) => {
      const value = values[name];
      const text = isRaw || typeof value !== 'string' ? value : escapeHtml(value);
      length += Buffer.byteLength(text);
      return text;
    });
    const page = Buffer.allocUnsafe(length);
    let at = first.copy(page);
    pieces.forEach(({ literal }, place) => {
      const text = texts[place] ?? '';
      if (typeof text === 'string') at += page.write(text, at);
      else {
        page.set(text, at);
        at += text.length;
      }
      at += literal.copy(page, at);
    });
    return page;
  };
}
