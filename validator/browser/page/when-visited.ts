/**
 * Calls back when the page is visited and has loaded. A page that the browser renders before a visit cannot reload
 * until the visit. Frames of the page would delay its load event. Drivers wait for this event, so their next actions
 * happen while the page reads (sources/activation.ts).
 */
export function whenVisited(callback: () => void): void {
  const whenLoaded = () => {
    if (document.readyState === 'complete') callback();
    else addEventListener('load', callback, { once: true });
  };
  // Only Chromium has this property. The type of TypeScript does not have it.
  const { prerendering } = document as Document & { readonly prerendering?: boolean };
  if (prerendering === true) {
    document.addEventListener('prerenderingchange', whenLoaded, { once: true });
  } else {
    whenLoaded();
  }
}
