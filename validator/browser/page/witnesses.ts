import type { ReadingValue } from '../../page-contract/evidence.ts';
import { finite } from './clip.ts';
import { WITNESSES } from '../../page-contract/limits.ts';
import { ownNonce } from './own-nonce.ts';
import { addBox } from './unseen-square.ts';

/** Time between two checks for loaded files, in milliseconds. Browsers prolong it in background tabs. */
const LOOK_MS = 25;
/**
 * After the images or the fonts have loaded, the page waits this long for the other kind, in milliseconds. Some people
 * block images or fonts.
 */
const GRACE_MS = 400;

/**
 * Loads the witness document (src/challenge/witnesses/) in an invisible frame, and measures its innermost boxes after
 * the browser has loaded its files. Returns the width and height of its first line and of each innermost box, in CSS
 * pixels. Undefined when there are no witnesses, or when the frame failed. Never rejects.
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
    // This forces a layout of the page first. Without it, Firefox would style the new document for a frame without a
    // size.
    host.getBoundingClientRect();
    // The Content-Security-Policy of this page also applies to the document, so its style needs the nonce. The URL of
    // this page is also its base URL and can contain a name and password. Browsers load no file with these, so the URLs
    // become absolute.
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
    // `clientWidth` forces a layout, so that a background tab loads the needed files too.
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
