import type { Page } from './page.ts';

/** Every page, found by any of the ways a reader may write its path. */
export class Library {
  readonly pages: readonly Page[];
  readonly #byPath: ReadonlyMap<string, Page>;

  constructor(pages: readonly Page[]) {
    this.pages = pages;
    this.#byPath = new Map(pages.map((page) => [page.path, page]));
  }

  /**
   * The page at a path, the same path with `.md`, or a full URL (contract 4.5). Of a URL only the path
   * counts: the host may be an alias of ours.
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

/** `https://docs.example/start.md`: where a page is read as Markdown. */
export function markdownUrl(publicUrl: string, page: Page): string {
  return `${publicUrl}${page.path}.md`;
}
