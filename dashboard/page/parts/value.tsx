import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useNavigation } from '../navigation.tsx';
import { FIELDS, type FieldName } from '../sql/fields.ts';
import { withFilter } from '../url-state.ts';
import { CopyButton } from './copy-button.tsx';

interface Props {
  readonly field: FieldName;
  readonly value: string;
  /** What is shown in place of the value. */
  readonly shown?: ComponentChildren;
  /** More to do with this value. */
  readonly children?: ComponentChildren;
  /** Called when a filter is chosen. */
  readonly chosen?: () => void;
}

/** A value of a row, with what can be done with it: filter, exclude, copy. */
export function Value({ field, value, shown, children, chosen }: Props) {
  const [open, setOpen] = useState(false);
  const around = useRef<HTMLSpanElement>(null);
  useClosing(open, around, () => setOpen(false));
  const { state, go } = useNavigation();
  const filter = (exclude: boolean): void => {
    setOpen(false);
    chosen?.();
    const { filters, before } = withFilter(state, { field, value, exclude });
    go({ filters, before, event: '', reference: '' });
  };
  return (
    <span class="value" ref={around}>
      <button
        type="button"
        class="plain"
        aria-expanded={open}
        title={value}
        onClick={() => setOpen(!open)}
      >
        <span class="only-heard">{FIELDS[field].label}: </span>
        {shown ?? (value === '' ? '(none)' : value)}
      </button>
      {open ? (
        <span class="choices" role="group" aria-label={`${FIELDS[field].label} ${value}`}>
          <span class="whole">{value === '' ? '(none)' : value}</span>
          <button type="button" class="small" onClick={() => filter(false)}>
            Filter
          </button>
          <button type="button" class="small" onClick={() => filter(true)}>
            Exclude
          </button>
          <CopyButton text={value} />
          {children}
        </span>
      ) : null}
    </span>
  );
}

/** Escape, or a click or the focus elsewhere, closes. */
function useClosing(
  open: boolean,
  around: { current: HTMLElement | null },
  close: () => void,
): void {
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event): void => {
      if (!(event.target instanceof Node) || around.current?.contains(event.target) !== true)
        close();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      // A dialog around it stays open.
      event.preventDefault();
      event.stopPropagation();
      close();
      around.current?.querySelector('button')?.focus();
    };
    const { current } = around;
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    current?.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
      current?.removeEventListener('keydown', escape);
    };
  }, [open]);
}
