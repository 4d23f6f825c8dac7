import type { Page } from '../pages/page.ts';

export interface MenuGroup {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Groups of pages, in the order in which a newcomer needs them. */
const GROUPS: readonly { readonly title: string; readonly paths: readonly string[] }[] = [
  { title: 'First steps', paths: ['/start', '/decision', '/modes', '/troubleshooting'] },
  {
    title: 'Into your site',
    paths: [
      '/protect-a-site',
      '/forward-auth',
      '/works-with',
      '/applications',
      '/validate-api',
      '/call-the-api',
      '/browser-script',
      '/challenge',
    ],
  },
  {
    title: 'Whom to let in',
    paths: ['/rules', '/rules-cookbook', '/presets', '/crawler-verification', '/crawlers'],
  },
  {
    title: 'Seeing your traffic',
    paths: ['/dashboard', '/analytics', '/analytics-cookbook', '/bi-tools', '/assistants'],
  },
  { title: 'Running it', paths: ['/operations', '/kubernetes', '/threat-model', '/privacy'] },
  {
    title: 'Reference',
    paths: ['/guard-yaml', '/commands', '/block-reasons', '/errors', '/metrics', '/limits'],
  },
];

/**
 * Groups the pages that are not below another page. Pages keep their order within a group. A page that is in no
 * group comes last, so that no page is unreachable.
 */
export function groupPages(pages: readonly Page[]): MenuGroup[] {
  const listed = pages.filter(({ path }) => path.lastIndexOf('/') === 0);
  const named = new Set(GROUPS.flatMap(({ paths }) => paths));
  const groups = GROUPS.map(({ title, paths }) => ({
    title,
    pages: listed.filter(({ path }) => paths.includes(path)),
  }));
  const rest = { title: 'More', pages: listed.filter(({ path }) => !named.has(path)) };
  return [...groups, rest].filter((group) => group.pages.length > 0);
}

/** The pages around one page. */
export interface Neighbours {
  /** The page above this one. Undefined for a page of the menu. */
  readonly parent?: Page;
  readonly previous?: Page;
  readonly next?: Page;
}

/** The previous and the next page for each page: in the menu, or among the pages below the same page. */
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
