/** The window of a frame that holds nothing: same origin, same browser, and natives of its own. */
export interface EmptyFrame {
  readonly inside: Window & typeof globalThis;
  close(): void;
}

/**
 * Opens an empty frame, which is never shown and needs no fetch that a Content-Security-Policy could
 * forbid; undefined where that is not to be had. Use `inside` at once: some engines fill it anew later.
 */
export function openEmptyFrame(): EmptyFrame | undefined {
  try {
    const frame = document.createElement('iframe');
    frame.style.display = 'none';
    frame.tabIndex = -1;
    document.documentElement.append(frame);
    // A frame in a document has a window of this origin, which TypeScript calls the type of `window`.
    const inside = frame.contentWindow as (Window & typeof globalThis) | null;
    if (inside) return { inside, close: () => frame.remove() };
    frame.remove();
  } catch {
    // What a source cannot read there is absent.
  }
  return undefined;
}
