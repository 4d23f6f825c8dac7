import type { Page } from './page.ts';

/** All pages. A page is found by each spelling of its path. */
export class Library {
  readonly pages: readonly Page[];
  readonly #byPath: ReadonlyMap<string, Page>;

  constructor(pages: readonly Page[]) {
    this.pages = pages;
    this.#byPath = new Map(pages.map((page) => [page.path, page]));
  }

  /**
   * The page for a path, the same path with `.md`, or a full URL (contract 4.5). Only the path of a URL counts,
   * because the host may be an alias.
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

/** `https://docs.example/start.md`: the URL of the page as Markdown. */
export function markdownUrl(publicUrl: string, page: Page): string {
  return `${publicUrl}${page.path}.md`;
}
