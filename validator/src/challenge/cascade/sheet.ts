import { LAYOUT_SIDE } from '../../../page-contract/limits.ts';
import { deriveKey } from '../../session/sealer.ts';
import { Draw } from './draw.ts';
import { type Leaf, plantTree } from './tree.ts';
import { competingRules, type StyleRule, widthUnder } from './rules.ts';

/** Number of leaves with competing rules. The other leaves keep the width of their block. */
const PROBES = 3;

/** A style sheet with its boxes, and the width that the cascade gives each leaf, in CSS pixels. */
interface CascadeSheet {
  /** The text for the page: the tree, a `|`, and the rules (browser/page/sources/cascade.ts). */
  readonly text: string;
  readonly widths: () => readonly number[];
}

interface CascadeSheets {
  readonly issue: (ticketId: string) => string;
  /**
   * The correct widths for a ticket: one list for each secret, because an earlier secret can have issued the ticket.
   */
  readonly widths: (ticketId: string) => readonly (readonly number[])[];
}

/**
 * Asks a question that only CSS answers (CSS Cascade 4, Selectors 3). Several rules compete for the width of a box.
 * Specificity, order, `!important`, conditions and inherited properties decide. The server knows the widths without
 * CSS, because it drew the sheet. A program has to parse the sheet as a browser does, and also has to ignore invalid
 * CSS.
 *
 * A person's browser must not fail. So the sheet uses only features that all browsers have handled in the same way for
 * ten years.
 */
export function createCascadeSheets(secrets: readonly string[]): CascadeSheets {
  const keys = secrets.map((secret) => deriveKey(secret, 'cascade'));
  const [signingKey] = keys;
  if (signingKey === undefined) throw new Error('sheets need at least one secret');
  return {
    issue: (ticketId) => drawSheet(new Draw(signingKey, ticketId)).text,
    widths: (ticketId) => keys.map((key) => drawSheet(new Draw(key, ticketId)).widths()),
  };
}

function drawSheet(draw: Draw): CascadeSheet {
  const tree = plantTree(draw);
  const probes = new Set(draw.shuffle(tree.leaves).slice(0, PROBES));
  const rules = new Map<Leaf, readonly StyleRule[]>();
  for (const leaf of probes) rules.set(leaf, competingRules(leaf, tree, draw));
  const sheetRules = draw.shuffle([...rules.values()].flat());
  return {
    text: `${tree.text}|${sheetRules.reduce((text, { css }) => text + css, '')}`,
    widths: () =>
      tree.leaves.map((leaf) => {
        const leafRules = new Set(rules.get(leaf));
        return widthUnder(sheetRules.filter((rule) => leafRules.has(rule))) ?? LAYOUT_SIDE;
      }),
  };
}
