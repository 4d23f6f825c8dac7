import type { Tool } from '../rpc/tool.ts';
import type { Library } from './library.ts';

/** Spec 4.5 `get_page`: one page as Markdown. */
export function createGetPageTool(library: Library): Tool<unknown> {
  return {
    name: 'get_page',
    title: 'Read a page',
    description:
      'Returns one page of the Guard documentation as Markdown. Takes its path (/rules), the path ' +
      'with .md, a full URL, or the path of a crawler profile (/crawlers/…).',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Path or URL of the page.' },
      },
      required: ['path'],
    },
    call: ({ path }) => {
      if (typeof path !== 'string' || path.trim() === '') {
        return { kind: 'error', text: 'Give the page in `path`, a non-empty string.' };
      }
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
