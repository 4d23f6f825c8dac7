/** One element of a Forwarded header. The gateway reads two of its parameters. */
interface ForwardedElement {
  /** The value of `for` without quotes. Empty when the element has no `for`, or more than one. */
  readonly for: string;
  readonly proto: string;
}

/**
 * RFC 7239 section 4: the last `maxElements` elements, in the order the proxies added them. An element that cannot
 * be read gets an empty `for`.
 *
 * The header is read from the right. A proxy adds its element at the right end, so text on the left must not change
 * where an element on the right begins. A closing quote without an opening quote is an ordinary character.
 */
export function parseForwarded(header: string, maxElements: number): readonly ForwardedElement[] {
  return lastElements(header, maxElements).map(readElement);
}

function lastElements(text: string, maxElements: number): string[] {
  const elements: string[] = [];
  let end = text.length;
  let isBroken = false;
  for (let at = end - 1; at >= 0 && elements.length < maxElements; at--) {
    if (text[at] === '"' && !isBroken) {
      const begin = openingQuote(text, at);
      isBroken = begin === -1;
      if (!isBroken) at = begin;
    } else if (text[at] === ',') {
      elements.unshift(text.slice(at + 1, end));
      end = at;
    }
  }
  if (elements.length < maxElements) elements.unshift(text.slice(0, end));
  return elements;
}

/** The index of the quote that opens the quoted string whose closing quote is at `close`. -1 when there is none. */
function openingQuote(text: string, close: number): number {
  let at = text.lastIndexOf('"', close - 1);
  while (at > 0 && isEscaped(text, at)) at = text.lastIndexOf('"', at - 1);
  return close === 0 ? -1 : at;
}

/** Whether an odd number of backslashes is before the character (RFC 9110 section 5.6.4). */
function isEscaped(text: string, at: number): boolean {
  let runStart = at;
  while (text[runStart - 1] === '\\') runStart--;
  return (at - runStart) % 2 === 1;
}

function readElement(element: string): ForwardedElement {
  let node: string | undefined;
  let proto = '';
  for (const pair of splitUnquoted(element)) {
    const equals = pair.indexOf('=');
    if (equals === -1) continue;
    const name = pair.slice(0, equals).trim().toLowerCase();
    const value = unquote(pair.slice(equals + 1).trim());
    // RFC 7239 section 4 forbids a parameter that comes twice. Guard cannot tell which of the two the proxy wrote.
    if (name === 'for') node = node === undefined ? value : '';
    else if (name === 'proto') proto = value;
  }
  return { for: node ?? '', proto };
}

function splitUnquoted(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (isQuoted && char === '\\') i++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === ';' && !isQuoted) {
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
