/** Removes Markdown marks and line breaks, for use as an excerpt, a description or a label. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/^```.*$|^\|[ |:-]+\|$/gm, ' ')
    .replaceAll(/!?\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`|]|\*\*/g, ' ')
    .replaceAll(/(?<![\w*])[*_]([^*_\s][^*_]*)[*_](?![\w*])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,:;)](?: |$))/g, '')
    .trim();
}
