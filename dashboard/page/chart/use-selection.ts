import { useState } from 'preact/hooks';

/** The first and the last selected bar. Both are part of the selection. */
export interface Selection {
  readonly anchor: number;
  readonly at: number;
}

interface Options {
  readonly bars: number;
  /** Returns the bar at this horizontal position on the screen. */
  readonly barAt: (clientX: number) => number;
  readonly select: (first: number, last: number) => void;
}

/** Selects bars by dragging, or with keys: arrows move, Enter starts and ends, Escape cancels. */
export function useSelection({ bars, barAt, select }: Options) {
  const [cursor, setCursor] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const finish = (last: number): void => {
    if (anchor !== undefined) select(Math.min(anchor, last), Math.max(anchor, last));
    setAnchor(undefined);
  };
  return {
    cursor,
    selection: anchor === undefined || cursor === undefined ? undefined : { anchor, at: cursor },
    listeners: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0 || !(event.currentTarget instanceof Element)) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = barAt(event.clientX);
        setAnchor(at);
        setCursor(at);
      },
      onPointerMove: (event: PointerEvent) => setCursor(barAt(event.clientX)),
      onPointerUp: (event: PointerEvent) => {
        const at = barAt(event.clientX);
        // A click without dragging selects nothing.
        if (at === anchor) setAnchor(undefined);
        else finish(at);
      },
      onPointerCancel: () => setAnchor(undefined),
      onPointerLeave: () => {
        if (anchor === undefined) setCursor(undefined);
      },
      onBlur: () => {
        setAnchor(undefined);
        setCursor(undefined);
      },
      onKeyDown: (event: KeyboardEvent) => {
        const currentBar = cursor ?? bars - 1;
        const moves: Readonly<Partial<Record<string, number>>> = {
          ArrowLeft: currentBar - 1,
          ArrowRight: currentBar + 1,
          Home: 0,
          End: bars - 1,
        };
        const target = moves[event.key];
        if (target !== undefined) setCursor(Math.max(0, Math.min(bars - 1, target)));
        else if (event.key === 'Enter') {
          if (anchor === undefined) {
            setAnchor(currentBar);
            setCursor(currentBar);
          } else finish(currentBar);
        } else if (event.key === 'Escape') setAnchor(undefined);
        else return;
        event.preventDefault();
      },
    },
  };
}
