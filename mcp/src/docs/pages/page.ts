export interface Page {
  /** The path of the page on the documentation host, with a leading slash and without `.md`. */
  readonly path: string;
  readonly title: string;
  /** The position among all pages. A lower number comes first. */
  readonly order: number;
  /** The first paragraph. It says for what a reader needs the page. */
  readonly summary: string;
  /** The whole page as Markdown. The title is its first heading. */
  readonly markdown: string;
}

/** One heading of a page, and the text from there to the next heading. */
export interface Section {
  readonly page: Page;
  readonly heading: string;
  /** 1 for the text below the title, else 2 or 3. */
  readonly level: number;
  /** The URL fragment of the heading. Empty for the text before the first heading. */
  readonly anchor: string;
  readonly text: string;
}

/** Builds a page from a title and the Markdown below it. */
export function createPage(path: string, title: string, order: number, body: string): Page {
  const bodyText = body.trim();
  const [firstParagraph = ''] = bodyText.split(/\n\s*\n/, 1);
  // Other pages show the summary too. So links in the summary to this page need the path.
  const summary = firstParagraph.replaceAll('\n', ' ').replaceAll('](#', `](${path}#`);
  return { path, title, order, summary, markdown: `# ${title}\n\n${bodyText}\n` };
}

/** Splits a page at its headings of level two and three. A `#` inside a code fence is not a heading. */
export function sectionsOf(page: Page): Section[] {
  const sections: (Omit<Section, 'text'> & { readonly lines: string[] })[] = [
    { page, heading: page.title, level: 1, anchor: '', lines: [] },
  ];
  let isInFence = false;
  for (const line of page.markdown.split('\n').slice(1)) {
    if (line.startsWith('```')) isInFence = !isInFence;
    const [, marks = '', title] = isInFence ? [] : (/^(#{2,3}) (.+)$/.exec(line) ?? []);
    if (title === undefined) sections.at(-1)?.lines.push(line);
    else {
      const heading = withoutBackticks(title);
      sections.push({ page, heading, level: marks.length, anchor: anchorOf(title), lines: [] });
    }
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: lines.join('\n').trim() }));
}

/** Returns the URL fragment of a heading. */
export function anchorOf(heading: string): string {
  return withoutBackticks(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(/ +/g, '-');
}

function withoutBackticks(heading: string): string {
  return heading.replaceAll('`', '');
}
