import type { Page } from '../pages/page.ts';

export interface MenuGroup {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Groups of pages in the order in which a new user needs them. */
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
 * Groups the pages of the first level, in their order. Pages without a group are in a last group, so that readers can
 * reach them.
 */
export function groupPages(pages: readonly Page[]): MenuGroup[] {
  const topPages = pages.filter(({ path }) => path.lastIndexOf('/') === 0);
  const groupedPaths = new Set(GROUPS.flatMap(({ paths }) => paths));
  const groups = GROUPS.map(({ title, paths }) => ({
    title,
    pages: topPages.filter(({ path }) => paths.includes(path)),
  }));
  const otherPages = {
    title: 'More',
    pages: topPages.filter(({ path }) => !groupedPaths.has(path)),
  };
  return [...groups, otherPages].filter((group) => group.pages.length > 0);
}

export interface Neighbours {
  /** The parent page, one level up. Undefined for a page of the menu. */
  readonly parent?: Page | undefined;
  readonly previous?: Page | undefined;
  readonly next?: Page | undefined;
}

/**
 * Returns the neighbours of each page. Pages of the menu are in the order of the menu. Other pages have neighbours with
 * the same parent.
 */
export function neighboursOf(
  pages: readonly Page[],
  menu: readonly MenuGroup[],
): ReadonlyMap<string, Neighbours> {
  const pagesByPath = new Map(pages.map((page) => [page.path, page]));
  const families = Map.groupBy(pages, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  families.set(
    '',
    menu.flatMap((group) => group.pages),
  );
  const neighboursByPath = new Map<string, Neighbours>();
  for (const [parentPath, family] of families) {
    const parent = pagesByPath.get(parentPath);
    for (const [index, { path }] of family.entries()) {
      neighboursByPath.set(path, { parent, previous: family[index - 1], next: family[index + 1] });
    }
  }
  return neighboursByPath;
}
