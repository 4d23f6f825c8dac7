import { finite } from '../clip.ts';
import type { Source } from '../source.ts';
import { inUnseenSquare } from '../unseen-square.ts';

/**
 * Builds the boxes of this page's sheet, styles them with its rules, and measures the leaves
 * (src/challenge/cascade/sheet.ts). What the rules make of them only the server knows besides.
 */
export const cascade: Source<'cascade'> = ({ sheet }) => {
  const [tree = '', rules = ''] = sheet.split('|');
  if (rules === '') return undefined;
  return inUnseenSquare((ground, host) => {
    addRules(ground, rules);
    const root = document.createElement('div');
    const blocks = [root];
    for (const line of tree.split(';')) {
      const [parent = '', ...classes] = line.split('.');
      const block = document.createElement('div');
      block.className = classes.join(' ');
      blocks[Number(parent)]?.appendChild(block);
      blocks.push(block);
    }
    ground.appendChild(root);
    const widthOf = (box: Element) => Math.round(box.getBoundingClientRect().width * 10) / 10;
    const leaves = blocks.filter((block) => !block.firstElementChild);
    return { side: finite(widthOf(host)), widths: leaves.map((leaf) => finite(widthOf(leaf))) };
  });
};

/** A page's policy forbids style elements without its nonce, and sheets that are constructed it does not. */
function addRules(ground: ShadowRoot, rules: string): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    ground.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement('style');
    style.nonce = document.querySelector('script')?.nonce ?? '';
    style.textContent = rules;
    ground.appendChild(style);
  }
}
