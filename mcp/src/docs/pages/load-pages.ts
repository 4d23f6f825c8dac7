import { readdirSync, readFileSync } from 'node:fs';
import { createPage } from './page.ts';
import type { Page } from './page.ts';

const GUIDE_FOLDER = new URL('../../../../docs/guide/', import.meta.url);

/** Returns the text of a file in docs/guide/. Links to other files become paths on the documentation host. */
export function readGuide(file: string): string {
  return readFileSync(new URL(file, GUIDE_FOLDER), 'utf8').replaceAll(
    /\]\(([a-z0-9_./-]+)(#[^)]*)?\)/g,
    (_link, target: string, anchor = '') =>
      `](${new URL(target, `http://docs/${file}`).pathname.replace(/\.md$/, '')}${anchor})`,
  );
}

/** Reads docs/guide/*.md, sorted by the order in their front matter. Throws for a file without front matter or text. */
export function loadPages(): Page[] {
  return readdirSync(GUIDE_FOLDER)
    .filter((file) => file.endsWith('.md'))
    .map((file) => parsePage(file, readGuide(file)))
    .sort((a, b) => a.order - b.order);
}

function parsePage(file: string, source: string): Page {
  const match = /^---\ntitle: (.+)\norder: (\d+)\n---\n([\s\S]+)$/.exec(source);
  const [, title, order, body] = match ?? [];
  if (title === undefined || order === undefined || body === undefined) {
    throw new Error(`docs/guide/${file}: expected front matter with title and order, and a text`);
  }
  return createPage(`/${file.slice(0, -3)}`, title, Number(order), body);
}
