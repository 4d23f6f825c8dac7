import { useEffect, useRef, useState } from 'preact/hooks';

/** Returns the width of an element in pixels, so that a drawing fits and its text keeps its size. */
export function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const watcher = new ResizeObserver(() => setWidth(current.clientWidth));
    watcher.observe(current);
    setWidth(current.clientWidth);
    return () => watcher.disconnect();
  }, []);
  return { place, width };
}
