import type { Page } from './page.ts';

/** All pages by path. `find` accepts several spellings of a path. */
export class Library {
  readonly pages: readonly Page[];
  readonly #byPath: ReadonlyMap<string, Page>;

  constructor(pages: readonly Page[]) {
    this.pages = pages;
    this.#byPath = new Map(pages.map((page) => [page.path, page]));
  }

  /**
   * Finds the page for a path, with or without `.md`, or a URL (contract 4.5). Any host counts, as it may be an alias.
   */
  find(reference: string): Page | undefined {
    const text = reference.trim();
    const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    const path = (url?.pathname ?? text.split(/[?#]/, 1)[0] ?? '')
      .replace(/^\/*/, '/')
      .replace(/\/$/, '')
      .replace(/\.md$/, '');
    return this.#byPath.get(path);
  }
}

/** The URL of the page as Markdown, such as `https://docs.example/start.md`. */
export function markdownUrl(publicUrl: string, page: Page): string {
  return `${publicUrl}${page.path}.md`;
}
