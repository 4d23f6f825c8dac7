/** The window of an empty frame. It has the same origin as the page, but its own native functions. */
interface EmptyFrame {
  readonly inside: Window & typeof globalThis;
  close(): void;
}

/**
 * Opens an empty frame. It is never shown, and needs no fetch that a Content-Security-Policy could forbid. Undefined
 * when the browser opens no such frame. Use `inside` at once, because some engines replace the window later.
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
    // Sources that need the frame then report `absent`.
  }
  return undefined;
}
