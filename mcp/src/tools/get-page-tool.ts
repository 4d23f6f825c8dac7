import { z } from 'zod';
import type { Tool } from '../edge/tool.ts';
import type { Library } from '../docs/pages/library.ts';

const NO_PATH = 'Give the page in `path`, a non-empty string.';
const Input = z.object({
  path: z
    .string(NO_PATH)
    .refine((path) => path.trim() !== '', NO_PATH)
    .describe('Path or URL of the page.'),
});

/** The tool `get_page` (contract 4.5) returns one page as Markdown. */
export function createGetPageTool(library: Library): Tool<unknown, typeof Input> {
  return {
    name: 'get_page',
    title: 'Read a page',
    description:
      'Returns one page of the Guard documentation as Markdown. Takes its path (/rules), the path ' +
      'with .md, a full URL, or the path of a crawler profile (/crawlers/…).',
    input: Input,
    call: ({ path }) => {
      const page = library.find(path);
      return page === undefined
        ? {
            kind: 'error',
            text: 'There is no page at this path. Find one with search_docs, or read /llms.txt.',
          }
        : { kind: 'text', text: page.markdown };
    },
  };
}
