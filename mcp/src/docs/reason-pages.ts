import { type Category, reasons } from '@guard/config/contract/reasons';
import { readdirSync } from 'node:fs';
import { readGuide } from './load-pages.ts';
import { createPage } from './page.ts';
import type { Page } from './page.ts';

const FOLDER = new URL('../../../docs/guide/block-reasons/', import.meta.url);
/** Behind every other written page, and before the crawlers. */
const ORDER = 900;

/**
 * One page a block reason, below `/block-reasons/`: what the code says of it, above what is written
 * in docs/guide/block-reasons/.
 */
export function reasonPages(): Page[] {
  const texts = readReasonTexts();
  return Object.entries(reasons).map(([name, reason]) =>
    createPage(
      `/block-reasons/${name}`,
      name,
      ORDER,
      `${facts(name, reason)}\n\n${texts.get(name) ?? ''}`,
    ),
  );
}

/** What is written about each reason, by its identifier. */
export function readReasonTexts(): Map<string, string> {
  return new Map(
    readdirSync(FOLDER).map((file) => [
      file.replace(/\.md$/, ''),
      readGuide(`block-reasons/${file}`),
    ]),
  );
}

interface ReasonFacts {
  readonly category: Category;
  readonly weight: number;
  readonly meaning: string;
}

function facts(name: string, { category, weight, meaning }: ReasonFacts): string {
  return `${meaning}

| Category | Weight | Effect |
|---|---|---|
| \`${category}\` | ${weight} | ${effectOf(category, weight)} |

How weights add up is told in [how a request is decided](/decision#what-the-findings-weigh); all reasons stand in [one table](/block-reasons). Whom it met today:

\`\`\`sql
SELECT created_at, action, ip, user_agent, path, block_reasons
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64() AND has(block_reasons, '${name}')
ORDER BY created_at DESC
LIMIT 20
\`\`\``;
}

/** What one finding of this weight does when nothing else is found (validator/src/verdict/weigh.ts). */
function effectOf(category: Category, weight: number): string {
  if (category === 'challenge_failure') return 'The challenge is not passed.';
  if (weight >= 100) return 'Blocks by itself.';
  if (weight >= 40) return 'Leads to the challenge by itself.';
  return 'Does nothing by itself.';
}
