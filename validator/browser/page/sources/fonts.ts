import { isChromium } from '../is-chromium.ts';
import { MARKER_FONTS } from '../../../page-contract/marker-fonts.ts';
import type { Source } from '../source.ts';
import { addBox, measureInUnseenSquare } from '../unseen-square.ts';

/** Letters whose total width differs between any two fonts. */
const SAMPLE = 'mmMwWiIlL0&@g';

/** When a text is wider or narrower than in the fallback font by more than this, it has another font. In CSS pixels. */
const OTHER_PX = 0.5;

/**
 * Finds the installed marker fonts. It compares the width of a text in each font with the width in the fallback font.
 * Runs only in Chromium: other browsers hide installed fonts in their privacy modes.
 */
export const fonts: Source<'fonts'> = () => {
  if (!isChromium()) return undefined;
  return measureInUnseenSquare((shadow) => {
    const addLine = (family: string) => {
      const lineBox = addBox(shadow, `position:absolute;white-space:nowrap;font:72px ${family}`);
      lineBox.textContent = SAMPLE;
      return lineBox;
    };
    // The fallback is serif, because no marker font is serif. All lines are inserted before the first measurement, so
    // that the browser computes only one layout.
    const fallback = addLine('serif');
    const lines = Object.values(MARKER_FONTS)
      .flat()
      .map((name) => [name, addLine(`"${name}",serif`)] as const);
    const width = fallback.getBoundingClientRect().width;
    return lines
      .filter(([, lineBox]) => Math.abs(lineBox.getBoundingClientRect().width - width) > OTHER_PX)
      .map(([name]) => name);
  });
};
