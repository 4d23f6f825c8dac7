import { entryOf, type Reason, reasons } from '@guard/config/contract/reasons';
import { GROUPS, type Strength } from '@guard/config/contract/strengths';
import { readdirSync } from 'node:fs';
import { readGuide } from './load-pages.ts';
import { createPage } from './page.ts';
import type { Page } from './page.ts';

const REASON_FOLDER = new URL('../../../../docs/guide/block-reasons/', import.meta.url);
/** Reason pages come after the pages of the guide and before the crawler pages. */
const ORDER = 900;

/**
 * One page below `/block-reasons/` for each block reason: first the facts from the code, then the text of docs/guide/.
 */
export function reasonPages(): Page[] {
  const texts = readReasonTexts();
  // The type of Object.keys is string[].
  return (Object.keys(reasons) as Reason[]).map((name) =>
    createPage(
      `/block-reasons/${name}`,
      name,
      ORDER,
      `${factsText(name)}\n\n${texts.get(name) ?? ''}`,
    ),
  );
}

/** The texts of docs/guide/block-reasons/, by the identifier of the reason. */
export function readReasonTexts(): Map<string, string> {
  return new Map(
    readdirSync(REASON_FOLDER).map((file) => [
      file.replace(/\.md$/, ''),
      readGuide(`block-reasons/${file}`),
    ]),
  );
}

function factsText(name: Reason): string {
  const { category, strength, group, meaning } = entryOf(name);
  const cause = group === undefined ? '–' : `\`${group}\`: ${GROUPS[group]}`;
  return `${meaning}

| Category | Strength | Group | Effect |
|---|---|---|---|
| \`${category}\` | ${strength ?? '–'} | ${cause} | ${effectOf(strength)} |

[How a request is decided](/decision#what-the-findings-amount-to) says how strengths add up, and [one table](/block-reasons) lists all reasons. This statement finds the visitors of the last day with this reason:

\`\`\`sql
SELECT created_at, action, ip, user_agent, path, block_reasons
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64() AND has(block_reasons, '${name}')
ORDER BY created_at DESC
LIMIT 20
\`\`\``;
}

/** Returns a sentence about the result when this is the only finding (validator/src/verdict/weigh.ts). */
function effectOf(strength: Strength | undefined): string {
  switch (strength) {
    case undefined:
      return 'Has no points: it says what decided.';
    case 'off':
    case 'note':
      return 'Has no points, so it changes no verdict.';
    case 'weak':
      return 'Alone it changes nothing.';
    case 'strong':
      return 'Alone it leads to a challenge.';
    case 'conclusive':
      return 'Alone it leads to a block.';
  }
}
