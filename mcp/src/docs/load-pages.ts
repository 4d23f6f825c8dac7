import { readdirSync, readFileSync } from 'node:fs';
import { createPage } from './page.ts';
import type { Page } from './page.ts';

const CONTENT = new URL('../../content/', import.meta.url);

/**
 * Reads mcp/content/*.md once, in the order the front matter gives. A file that is not a page is a
 * fault of this package and throws at start.
 */
export function loadPages(): Page[] {
  return readdirSync(CONTENT)
    .filter((file) => file.endsWith('.md'))
    .map((file) => parsePage(file, readFileSync(new URL(file, CONTENT), 'utf8')))
    .sort((a, b) => a.order - b.order);
}

function parsePage(file: string, source: string): Page {
  const match = /^---\ntitle: (.+)\norder: (\d+)\n---\n([\s\S]+)$/.exec(source);
  const [, title, order, body] = match ?? [];
  if (title === undefined || order === undefined || body === undefined) {
    throw new Error(`mcp/content/${file}: expected front matter with title and order, and a text`);
  }
  return createPage(`/${file.slice(0, -3)}`, title, Number(order), body);
}
