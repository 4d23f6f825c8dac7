import type { ReadingValue } from '../../page-contract/evidence.ts';
import { finite } from './clip.ts';
import { WITNESSES } from '../../page-contract/limits.ts';
import { ownNonce } from './own-nonce.ts';
import { addBox } from './unseen-square.ts';

/** Time between two checks for loaded files, in milliseconds. Background tabs wait longer. */
const LOOK_MS = 25;
/** Extra time for the other kind of file after one kind has loaded, because people block images or fonts. */
const GRACE_MS = 400;

/**
 * Shows the document of the witnesses (src/challenge/witnesses/) out of view, and measures its leaves after the browser
 * has loaded its files. Returns the width of its first line, and width and height of each leaf in CSS pixels. Undefined
 * when there are no witnesses, or when the document could not be shown. Never rejects.
 */
export async function askWitnesses(
  witnessText: string,
): Promise<ReadingValue<'witnesses'> | undefined> {
  const [size = '', html = ''] = splitSizeAndHtml(witnessText);
  if (html === '') return undefined;
  const holder = addBox(document.documentElement, 'all:initial');
  const host = document.createElement('iframe');
  try {
    const [width = '', height = ''] = size.split('.');
    host.tabIndex = -1;
    host.setAttribute('aria-hidden', 'true');
    host.style.cssText =
      `all:initial;position:fixed;left:0;top:0;width:${width}px;height:${height}px;min-width:${width}px;border:0;visibility:hidden;pointer-events:none`.replace(
        /(;|$)/g,
        '!important$1',
      );
    // Extensions that remove frames do not search closed shadow trees.
    holder.attachShadow({ mode: 'closed' }).append(host);
    // Lay out this document first: Firefox would style the new document for a frame without a size.
    host.getBoundingClientRect();
    // The document has the policy of this page, so its style needs the nonce. It also has the URL of this page as its
    // base, and browsers load no file with a name and password in its URL.
    host.srcdoc = html
      .replace('style', `style nonce="${ownNonce()}"`)
      .replace(/\/\.guard/g, `${location.origin}$&`);
    return { sizes: await measureWhenLoaded(host) };
  } catch {
    return undefined;
  } finally {
    holder.remove();
  }
}

function splitSizeAndHtml(witnessText: string): readonly string[] {
  const separator = witnessText.indexOf('|');
  return separator < 0 ? [] : [witnessText.slice(0, separator), witnessText.slice(separator + 1)];
}

async function measureWhenLoaded(frame: HTMLIFrameElement): Promise<number[]> {
  const startedAt = performance.now();
  let oneKindAt = Infinity;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = performance.now();
    const inside = frame.contentDocument;
    const isLast = now - startedAt > WITNESSES.waitMs || now - oneKindAt > GRACE_MS;
    if (!inside) {
      if (isLast) return [];
      continue;
    }
    const leaves = Array.from(inside.querySelectorAll('div>div>div'));
    // This forces a layout, so that the needed files are loaded in a background tab too.
    const images = leaves.filter((leaf) => !leaf.firstChild && leaf.clientWidth > 0).length;
    const areImagesIn = images >= WITNESSES.images;
    const areFontsIn = inside.fonts.status === 'loaded' && loadedFonts(inside) >= WITNESSES.fonts;
    if (areImagesIn || areFontsIn) oneKindAt = Math.min(oneKindAt, now);
    if ((areImagesIn && areFontsIn) || isLast) return sizesIn(inside);
  }
}

function sizesIn(inside: Document): number[] {
  const sizes: number[] = [];
  inside.querySelectorAll('p,div>div>div').forEach((leaf) => {
    const { width, height } = leaf.getBoundingClientRect();
    sizes.push(roundToTenth(width), roundToTenth(height));
  });
  return sizes;
}

function loadedFonts(inside: Document): number {
  let count = 0;
  inside.fonts.forEach(({ status }) => (count += Number(status === 'loaded')));
  return count;
}

function roundToTenth(pixels: number): number {
  return finite(Math.round(pixels * 10) / 10);
}
