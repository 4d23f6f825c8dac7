import { entryOf, type Reason, reasons } from '@guard/config/contract/reasons';
import { GROUPS, type Strength } from '@guard/config/contract/strengths';
import { readdirSync } from 'node:fs';
import { readGuide } from './load-pages.ts';
import { createPage } from './page.ts';
import type { Page } from './page.ts';

const FOLDER = new URL('../../../../docs/guide/block-reasons/', import.meta.url);
/** After the other written pages and before the crawlers. */
const ORDER = 900;

/** One page below `/block-reasons/` for each block reason: facts from the code, then the text of docs/guide/. */
export function reasonPages(): Page[] {
  const texts = readReasonTexts();
  // The cast is needed, because the type of Object.keys is string[].
  return (Object.keys(reasons) as Reason[]).map((name) =>
    createPage(`/block-reasons/${name}`, name, ORDER, `${facts(name)}\n\n${texts.get(name) ?? ''}`),
  );
}

/** The text for each reason, by its identifier. */
export function readReasonTexts(): Map<string, string> {
  return new Map(
    readdirSync(FOLDER).map((file) => [
      file.replace(/\.md$/, ''),
      readGuide(`block-reasons/${file}`),
    ]),
  );
}

function facts(name: Reason): string {
  const { category, strength, group, meaning } = entryOf(name);
  const cause = group === undefined ? '–' : `\`${group}\`: ${GROUPS[group]}`;
  return `${meaning}

| Category | Strength | Group | Effect |
|---|---|---|---|
| \`${category}\` | ${strength ?? '–'} | ${cause} | ${effectOf(strength)} |

How strengths add up is told in [how a request is decided](/decision#what-the-findings-amount-to); all reasons stand in [one table](/block-reasons). Which visitors had it today:

\`\`\`sql
SELECT created_at, action, ip, user_agent, path, block_reasons
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64() AND has(block_reasons, '${name}')
ORDER BY created_at DESC
LIMIT 20
\`\`\``;
}

/** The effect of a single finding of this strength (validator/src/verdict/weigh.ts). */
function effectOf(strength: Strength | undefined): string {
  switch (strength) {
    case undefined:
      return 'Names what was decided, and is not weighed.';
    case 'off':
    case 'note':
      return 'Decides nothing.';
    case 'weak':
      return 'Does nothing by itself.';
    case 'strong':
      return 'Asks by itself.';
    case 'conclusive':
      return 'Rejects by itself.';
  }
}
