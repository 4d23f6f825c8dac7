import { markdownUrl } from '../pages/library.ts';
import type { MenuGroup } from './menu.ts';
import type { Page } from '../pages/page.ts';
import { plainText } from '../render/plain-text.ts';

/** Contract 4.6: returns `/llms.txt`. It lists every page with the URL of its Markdown, in the groups of the menu. */
export function llmsTxt(
  menu: readonly MenuGroup[],
  pages: readonly Page[],
  publicUrl: string,
): string {
  const pagesBelow = (path: string) => pages.filter((page) => page.path.startsWith(path));
  const groups = [
    ...menu,
    { title: 'Block reasons, one by one', pages: pagesBelow('/block-reasons/') },
    // The convention of these files lets readers skip the section `Optional` when space is short.
    { title: 'Optional', pages: pagesBelow('/crawlers/') },
  ];
  const sections = groups
    .filter((group) => group.pages.length > 0)
    .map((group) => {
      const lines = group.pages.map(
        (page) => `- [${page.title}](${markdownUrl(publicUrl, page)}): ${plainText(page.summary)}`,
      );
      return `## ${group.title}\n\n${lines.join('\n')}\n`;
    });
  return `# Guard

> A self-hosted bot-defence gateway: one YAML file in front of your site, every decision in SQL.

- [All pages in one file](${publicUrl}/llms-full.txt)
- [OpenAPI description](${publicUrl}/openapi.json): validation, health and analytics query
- Search and read these pages as tools: MCP at ${publicUrl}/mcp

${sections.join('\n')}`;
}
