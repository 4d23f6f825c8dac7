import { MCP } from '@guard/config/contract/limits';
import { z } from 'zod';
import type { Tool } from '../edge/tool.ts';
import { markdownUrl } from '../docs/pages/library.ts';
import type { Section } from '../docs/pages/page.ts';
import type { SearchIndex } from '../docs/search/search-index.ts';

const { min, max, default: defaultLimit } = MCP.searchLimit;
const EXCERPT_CHARS = 240;

const NO_QUERY = 'Give the words to look for in `query`, a non-empty string.';
const NO_LIMIT = `\`limit\` must be an integer from ${min} to ${max}.`;
const Input = z.object({
  query: z
    .string(NO_QUERY)
    .refine((query) => query.trim() !== '', NO_QUERY)
    .describe('Words to look for.'),
  limit: z
    .int(NO_LIMIT)
    .min(min, NO_LIMIT)
    .max(max, NO_LIMIT)
    .default(defaultLimit)
    .describe('Most hits to return.'),
});

/**
 * The tool `search_docs` (contract 4.5) returns the sections that match, each with its path and the URL of its
 * Markdown.
 */
export function createSearchDocsTool(
  index: SearchIndex,
  publicUrl: () => string,
): Tool<unknown, typeof Input> {
  return {
    name: 'search_docs',
    title: 'Search the documentation',
    description:
      'Finds pages and sections of the Guard documentation by words. Each hit names its path and the ' +
      'URL of its Markdown; read one with get_page.',
    input: Input,
    call: ({ query, limit }) => {
      const hits = index.search(query, limit);
      return {
        kind: 'text',
        text:
          hits.length === 0
            ? `Nothing found. Every page is listed at ${publicUrl()}/llms.txt.`
            : hits.map((hit) => describeHit(hit, publicUrl())).join('\n\n'),
      };
    },
  };
}

function describeHit({ page, heading, anchor, text }: Section, publicUrl: string): string {
  const title = anchor === '' ? page.title : `${page.title}: ${heading}`;
  const path = anchor === '' ? page.path : `${page.path}#${anchor}`;
  // The line of hyphens below the head of a table has no content.
  const flatText = text.replaceAll(/^\|[ |:-]+\|$/gm, '').replaceAll(/\s+/g, ' ');
  const excerpt =
    flatText.length > EXCERPT_CHARS ? `${flatText.slice(0, EXCERPT_CHARS)}…` : flatText;
  return [`## ${title}`, `path: ${path}`, `markdown: ${markdownUrl(publicUrl, page)}`, excerpt]
    .filter((line) => line !== '')
    .join('\n');
}
