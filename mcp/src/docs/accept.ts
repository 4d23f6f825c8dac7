/**
 * True when an Accept header asks for Markdown by name, at least as much as for HTML by name
 * (RFC 9110 12.5.1). A wildcard asks for nothing in particular, so a browser and curl get HTML.
 */
export function prefersMarkdown(accept: string | undefined): boolean {
  const markdown = quality(accept, 'text/markdown');
  return markdown > 0 && markdown >= quality(accept, 'text/html');
}

function quality(accept = '', type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  }
  return 0;
}
