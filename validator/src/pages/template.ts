import { escapeHtml } from './escape-html.ts';

/** Fills a template: the value of each placeholder, escaped. */
export type Fill<Name extends string> = (values: Readonly<Record<Name, string>>) => string;

/**
 * Splits HTML at its `{{name}}` placeholders, once; filling is then a walk over the pieces. Throws
 * for a placeholder that is not among `names`, and for a name that has no place. The values of `raw` are HTML of our
 * own, and stay as they are.
 */
export function compileTemplate<Name extends string>(
  html: string,
  names: readonly Name[],
  raw: readonly Name[] = [],
): Fill<Name> {
  // split() with a group: literal, name, literal, name, …, literal.
  const [head = '', ...rest] = html.split(/\{\{(\w+)\}\}/);
  const pieces: { readonly name: Name; readonly literal: string }[] = [];
  for (let at = 0; at < rest.length; at += 2) {
    const name = names.find((known) => known === rest[at]);
    if (name === undefined) throw new Error(`unknown placeholder {{${rest[at] ?? ''}}}`);
    pieces.push({ name, literal: rest[at + 1] ?? '' });
  }
  const missing = names.find((name) => !pieces.some((piece) => piece.name === name));
  if (missing !== undefined) throw new Error(`placeholder {{${missing}}} has no place`);
  return (values) => {
    let filled = head;
    for (const { name, literal } of pieces) {
      filled += raw.includes(name) ? values[name] : escapeHtml(values[name]);
      filled += literal;
    }
    return filled;
  };
}
