/** The window of an empty frame: same origin, same browser, and its own native functions. */
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
    // A frame in a document has a window of this origin, with the type of `window`.
    const inside = frame.contentWindow as (Window & typeof globalThis) | null;
    if (inside) return { inside, close: () => frame.remove() };
    frame.remove();
  } catch {
    // A source that cannot read here reports the value as absent.
  }
  return undefined;
}
