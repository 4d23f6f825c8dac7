import type { Page } from '../pages/page.ts';

export interface MenuGroup {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Which pages belong together, in the order in which a newcomer needs them. */
const GROUPS: readonly { readonly title: string; readonly paths: readonly string[] }[] = [
  { title: 'First steps', paths: ['/start', '/decision', '/modes', '/troubleshooting'] },
  {
    title: 'Into your site',
    paths: [
      '/protect-a-site',
      '/forward-auth',
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
  { title: 'Seeing your traffic', paths: ['/analytics', '/analytics-cookbook', '/assistants'] },
  { title: 'Running it', paths: ['/operations', '/threat-model', '/privacy'] },
  {
    title: 'Reference',
    paths: ['/guard-yaml', '/commands', '/block-reasons', '/errors', '/metrics', '/limits'],
  },
];

/**
 * The pages that are not below another one, in groups; within a group in their own order. A page that
 * no group names comes last, so that none can be written and not be found.
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
