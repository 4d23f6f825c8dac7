import type { Look } from './look.ts';

/** Finds what was compiled for a look and a key, or compiles it now. */
export type PageCache<Page> = (look: Look, key: string, compile: () => Page) => Page;

/**
 * Pages that are put together when they are first asked for. Looks live as long as the settings they
 * come from; `key` must be one of few: a language and a kind of page.
 */
export function createPageCache<Page>(): PageCache<Page> {
  const compiled = new WeakMap<Look, Map<string, Page>>();
  return (look, key, compile) => {
    let pages = compiled.get(look);
    if (!pages) compiled.set(look, (pages = new Map<string, Page>()));
    let page = pages.get(key);
    if (page === undefined) pages.set(key, (page = compile()));
    return page;
  };
}
