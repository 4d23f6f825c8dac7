/**
 * Calls back when the page is visited and has loaded. A prerendered page cannot reload before the visit. The check
 * opens frames, which would delay the load event if it started earlier. Drivers wait for the load event, so their next
 * actions happen while the page reads (sources/activation.ts).
 */
export function whenVisited(callback: () => void): void {
  const whenLoaded = () => {
    if (document.readyState === 'complete') callback();
    else addEventListener('load', callback, { once: true });
  };
  // Only Chromium has this property. TypeScript's type of the document lacks it.
  const { prerendering } = document as Document & { readonly prerendering?: boolean };
  if (prerendering === true) {
    document.addEventListener('prerenderingchange', whenLoaded, { once: true });
  } else {
    whenLoaded();
  }
}
