import type { MenuGroup } from './menu.ts';
import type { Page } from '../pages/page.ts';

/** What is read around one page. */
export interface Neighbours {
  /** The page that this one is below; absent for a page of the menu. */
  readonly parent?: Page;
  readonly previous?: Page;
  readonly next?: Page;
}

/** For each page the one before and behind it: along the menu, or among those below the same page. */
export function neighboursOf(
  pages: readonly Page[],
  menu: readonly MenuGroup[],
): ReadonlyMap<string, Neighbours> {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const families = Map.groupBy(pages, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  families.set(
    '',
    menu.flatMap((group) => group.pages),
  );
  const found = new Map<string, Neighbours>();
  for (const [parentPath, family] of families) {
    const parent = byPath.get(parentPath);
    for (const [index, { path }] of family.entries()) {
      const previous = family[index - 1];
      const next = family[index + 1];
      found.set(path, {
        ...(parent !== undefined && { parent }),
        ...(previous !== undefined && { previous }),
        ...(next !== undefined && { next }),
      });
    }
  }
  return found;
}
