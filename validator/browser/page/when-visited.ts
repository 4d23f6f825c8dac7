/**
 * Calls back when the page is visited, and has loaded. A page that the browser renders before a visit cannot reload
 * until then. Frames of the page would hold back its load event. Drivers wait for that event: what they do next
 * happens while the page reads (sources/activation.ts).
 */
export function whenVisited(next: () => void): void {
  const whenLoaded = () => {
    if (document.readyState === 'complete') next();
    else addEventListener('load', next, { once: true });
  };
  // Only Chromium has it, and TypeScript's type does not.
  const { prerendering } = document as Document & { readonly prerendering?: boolean };
  if (prerendering === true) {
    document.addEventListener('prerenderingchange', whenLoaded, { once: true });
  } else {
    whenLoaded();
  }
}
