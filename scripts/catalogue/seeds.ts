import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RSL_CATEGORIES } from '../../config/src/catalogue/crawler-file.ts';
import type { CrawlerCategory } from '../../config/src/catalogue/crawler-file.ts';

/** A crawler before it has an id and a file. */
export interface Seed {
  readonly name: string;
  readonly operator: string;
  readonly category: CrawlerCategory;
  readonly contains: readonly string[];
  readonly startsWith: readonly string[];
}

/** Reads crawlers.txt. Its first lines describe its format. Throws an Error that names the invalid line. */
export function readSeeds(): Seed[] {
  const path = join(import.meta.dirname, 'crawlers.txt');
  const seeds: Seed[] = [];
  let category: CrawlerCategory | undefined;
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) {
      category = toCategory(line.slice(1, -1));
      continue;
    }
    const [name, operator, tokens] = line.split(' | ');
    if (category === undefined || name === undefined || operator === undefined) {
      throw new Error(`crawlers.txt:${index + 1}: expected name | operator | tokens`);
    }
    seeds.push(newSeed(name, operator, category, tokens?.split(', ')));
  }
  return seeds;
}

export function newSeed(
  name: string,
  operator: string,
  category: CrawlerCategory,
  tokens: readonly string[] = [name],
): Seed {
  return {
    name,
    operator,
    category,
    contains: tokens.filter((token) => !token.startsWith('^')),
    startsWith: tokens.filter((token) => token.startsWith('^')).map((token) => token.slice(1)),
  };
}

function toCategory(text: string): CrawlerCategory {
  if (!Object.hasOwn(RSL_CATEGORIES, text)) throw new Error(`crawlers.txt: no category: ${text}`);
  // The previous line has checked the type.
  return text as CrawlerCategory;
}
