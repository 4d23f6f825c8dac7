/** How a body is packed for the way, RFC 9110 8.4.1. */
export type Coding = 'br' | 'gzip' | 'identity';

/**
 * True when an Accept header asks for Markdown by name, at least as much as for HTML by name
 * (RFC 9110 12.5.1). A wildcard asks for nothing in particular, so a browser and curl get HTML.
 */
export function prefersMarkdown(accept: string | undefined): boolean {
  const markdown = weightOf('text/markdown', accept) ?? 0;
  return markdown > 0 && markdown >= (weightOf('text/html', accept) ?? 0);
}

/**
 * The coding an Accept-Encoding header likes best (RFC 9110 12.5.3); of equals the smaller answer.
 * A reader that refuses everything, `identity` too, is given the plain body: better than none.
 */
export function preferredCoding(acceptEncoding: string | undefined): Coding {
  const others = weightOf('*', acceptEncoding) ?? 0;
  const brotli = weightOf('br', acceptEncoding) ?? others;
  const gzip = weightOf('gzip', acceptEncoding) ?? others;
  const best = Math.max(brotli, gzip);
  if (best === 0 || best < (weightOf('identity', acceptEncoding) ?? 0)) return 'identity';
  return brotli === best ? 'br' : 'gzip';
}

/** The weight that a header gives a name, 0 to 1; undefined when it does not mention it. */
function weightOf(wanted: string, header = ''): number | undefined {
  for (const range of header.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== wanted) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return undefined;
}
