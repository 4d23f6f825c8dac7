import type { Page } from './page.ts';

/** The pages of the site, by path. `find` accepts several spellings of a path. */
export class Library {
  readonly pages: readonly Page[];
  readonly #pagesByPath: ReadonlyMap<string, Page>;

  constructor(pages: readonly Page[]) {
    this.pages = pages;
    this.#pagesByPath = new Map(pages.map((page) => [page.path, page]));
  }

  /**
   * Finds the page for a path, with or without `.md`, or for a URL (contract 4.5). The host of the URL does not matter,
   * because it can be an alias.
   */
  find(reference: string): Page | undefined {
    const trimmedReference = reference.trim();
    const url =
      /^https?:\/\//i.test(trimmedReference) && URL.canParse(trimmedReference)
        ? new URL(trimmedReference)
        : undefined;
    const path = (url?.pathname ?? trimmedReference.split(/[?#]/, 1)[0] ?? '')
      .replace(/^\/*/, '/')
      .replace(/\/$/, '')
      .replace(/\.md$/, '');
    return this.#pagesByPath.get(path);
  }
}

/** The URL of the page as Markdown, such as `https://docs.example/start.md`. */
export function markdownUrl(publicUrl: string, page: Page): string {
  return `${publicUrl}${page.path}.md`;
}
