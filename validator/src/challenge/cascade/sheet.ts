import { hkdfSync } from 'node:crypto';
import { LAYOUT_SIDE } from '../../../page-contract/limits.ts';
import { Draw } from './draw.ts';
import { type Leaf, plantTree } from './tree.ts';
import { competingRules, type StyleRule, widthUnder } from './rules.ts';

/** Leaves that rules compete for. The others keep the width of their block. */
const PROBES = 3;

/** A style sheet with boxes, and how wide the cascade makes each leaf, in CSS pixels. */
export interface CascadeSheet {
  /** For the page: the tree, a `|`, and the rules (browser/page/sources/cascade.ts). */
  readonly text: string;
  readonly widths: () => readonly number[];
}

export interface CascadeSheets {
  /** The sheet of a ticket that is issued now. */
  readonly issue: (ticketId: string) => string;
  /** The right answers of a ticket: one list for each secret, because an earlier one may have issued it. */
  readonly widths: (ticketId: string) => readonly (readonly number[])[];
}

/**
 * A question that only CSS answers (CSS Cascade 4, Selectors 3): several rules compete for the width of a box, and
 * specificity, order, `!important`, conditions and inherited properties decide. The page is given the sheet. The
 * only the server knows what it was drawn from, so a program has to read the sheet as a browser does, with all that a
 * browser leaves out because it is not CSS. Nothing is kept: the answers follow from the secret and the ticket.
 *
 * Only what every browser has understood alike for ten years is asked, because a person's browser must not fail.
 */
export function createCascadeSheets(secrets: readonly string[]): CascadeSheets {
  const keys = secrets.map(
    (secret) => new Uint8Array(hkdfSync('sha256', secret, '', 'guard/cascade', 32)),
  );
  const [signing] = keys;
  if (signing === undefined) throw new Error('sheets need at least one secret');
  return {
    issue: (ticketId) => drawSheet(new Draw(signing, ticketId)).text,
    widths: (ticketId) => keys.map((key) => drawSheet(new Draw(key, ticketId)).widths()),
  };
}

function drawSheet(draw: Draw): CascadeSheet {
  const tree = plantTree(draw);
  const probes = new Set(draw.shuffled(tree.leaves).slice(0, PROBES));
  const rules = new Map<Leaf, readonly StyleRule[]>();
  for (const leaf of probes) rules.set(leaf, competingRules(leaf, tree, draw));
  const inOrder = draw.shuffled([...rules.values()].flat());
  return {
    text: `${tree.text}|${inOrder.reduce((text, { css }) => text + css, '')}`,
    widths: () =>
      tree.leaves.map((leaf) => {
        const own = new Set(rules.get(leaf));
        return widthUnder(inOrder.filter((rule) => own.has(rule))) ?? LAYOUT_SIDE;
      }),
  };
}
