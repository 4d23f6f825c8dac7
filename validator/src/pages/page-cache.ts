import type { Look } from './look.ts';

/** Returns the page that was compiled for a look and a key. Compiles it at the first call. */
type PageCache<Page> = (look: Look, key: string, compile: () => Page) => Page;

/**
 * Creates a cache of compiled pages for each look of the settings. It never removes a page of a look, so the number of
 * keys must be small, such as languages and kinds of pages.
 */
export function createPageCache<Page>(): PageCache<Page> {
  const pagesByLook = new WeakMap<Look, Map<string, Page>>();
  return (look, key, compile) => {
    let pages = pagesByLook.get(look);
    if (!pages) pagesByLook.set(look, (pages = new Map<string, Page>()));
    let page = pages.get(key);
    if (page === undefined) pages.set(key, (page = compile()));
    return page;
  };
}
