/** One element of a Forwarded header, of which the gateway reads two parameters. */
interface ForwardedElement {
  /** `for`, unquoted; empty when the element has none. */
  readonly for: string;
  readonly proto: string;
}

/**
 * RFC 7239 section 4: elements in the order the proxies added them. Quoted strings are read as such,
 * so that a comma inside one opens no new element. What cannot be read becomes an element without `for`.
 */
export function parseForwarded(header: string): readonly ForwardedElement[] {
  const elements: ForwardedElement[] = [];
  for (const element of splitUnquoted(header, ',')) {
    let node = '';
    let proto = '';
    for (const pair of splitUnquoted(element, ';')) {
      const equals = pair.indexOf('=');
      if (equals === -1) continue;
      const name = pair.slice(0, equals).trim().toLowerCase();
      const value = unquote(pair.slice(equals + 1).trim());
      if (name === 'for') node = value;
      else if (name === 'proto') proto = value;
    }
    elements.push({ for: node, proto });
  }
  return elements;
}

function splitUnquoted(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted && char === '\\') i++;
    else if (char === '"') quoted = !quoted;
    else if (char === separator && !quoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unquote(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replaceAll(/\\(.)/g, '$1');
}
