import { finite } from '../clip.ts';
import { ownNonce } from '../own-nonce.ts';
import type { Source } from '../source.ts';
import { measureInUnseenSquare } from '../unseen-square.ts';

/** Height of the outermost block after the rules are applied. */
const APPLIED_PX = 7;

/**
 * Builds the boxes of this visit's style sheet, applies its rules, and measures the innermost boxes
 * (src/challenge/cascade/sheet.ts). Undefined when the browser has no constructed sheets and the policy of the page
 * forbids styles.
 */
export const cascade: Source<'cascade'> = ({ sheet }) => {
  const [tree = '', rules = ''] = sheet.split('|');
  if (rules === '') return undefined;
  return measureInUnseenSquare((shadow, host) => {
    // All classes of a sheet have shorter names than `applied`, so none has this name.
    addRules(shadow, `${rules}.applied{height:${APPLIED_PX}px}`);
    const root = document.createElement('div');
    root.className = 'applied';
    const blocks = [root];
    for (const line of tree.split(';')) {
      const [parent = '', ...classes] = line.split('.');
      const block = document.createElement('div');
      block.className = classes.join(' ');
      blocks[Number(parent)]?.appendChild(block);
      blocks.push(block);
    }
    shadow.appendChild(root);
    if (root.clientHeight !== APPLIED_PX) return undefined;
    const widthOf = (box: Element) => Math.round(box.getBoundingClientRect().width * 10) / 10;
    const leaves = blocks.filter((block) => !block.firstElementChild);
    return { side: finite(widthOf(host)), widths: leaves.map((leaf) => finite(widthOf(leaf))) };
  });
};

/** Adds rules. The policy of a page forbids style elements without its nonce, but not constructed sheets. */
function addRules(shadow: ShadowRoot, rules: string): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    shadow.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement('style');
    style.nonce = ownNonce();
    style.textContent = rules;
    shadow.appendChild(style);
  }
}
