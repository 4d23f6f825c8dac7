import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useNavigation } from '../navigation.tsx';
import { FIELDS, type FieldName } from '../sql/fields.ts';
import { withFilter } from '../url-state.ts';
import { CopyButton } from './copy-button.tsx';
import { SmallButton } from './small-button.tsx';

interface Props {
  readonly field: FieldName;
  readonly value: string;
  /** The text that is shown in place of the value. */
  readonly shown?: ComponentChildren;
  /** More actions for this value. */
  readonly children?: ComponentChildren;
}

/** A value of a row with its actions: filter, exclude, copy. */
export function Value({ field, value, shown, children }: Props) {
  const [open, setOpen] = useState(false);
  const words = value === '' ? '(none)' : value;
  return (
    <span class="value">
      <button
        type="button"
        class="plain"
        aria-expanded={open}
        title={value}
        onClick={() => setOpen(!open)}
      >
        <span class="only-heard">{FIELDS[field].label}: </span>
        {shown ?? words}
      </button>
      {open ? (
        <Choices field={field} value={value} close={() => setOpen(false)}>
          {children}
        </Choices>
      ) : null}
    </span>
  );
}

interface ChoicesProps {
  readonly field: FieldName;
  readonly value: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

function Choices({ field, value, close, children }: ChoicesProps) {
  const { state, go } = useNavigation();
  const popover = usePopover(close);
  const words = value === '' ? '(none)' : value;
  const filter = (exclude: boolean): void => {
    close();
    const { filters, before } = withFilter(state, { field, value, exclude });
    go({ filters, before, event: '', reference: '' });
  };
  return (
    <span
      class="choices"
      popover="manual"
      ref={popover}
      role="group"
      aria-label={`${FIELDS[field].label} ${words}`}
    >
      <span class="whole">{words}</span>
      <SmallButton onClick={() => filter(false)}>Filter</SmallButton>
      <SmallButton onClick={() => filter(true)}>Exclude</SmallButton>
      <CopyButton text={value} />
      {children}
    </span>
  );
}

/** Shows an element above the page and below its parent. Escape, a click or focus elsewhere closes it. */
function usePopover(close: () => void) {
  const popover = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const { current } = popover;
    const parent = current?.parentElement;
    if (current === null || parent === null || parent === undefined) return undefined;
    current.showPopover();
    putBelow(current, parent.getBoundingClientRect());
    const ending = new AbortController();
    const { signal } = ending;
    const closeElsewhere = ({ target }: Event): void => {
      if (!(target instanceof Node) || !parent.contains(target)) close();
    };
    const closeOnEscape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      // The event stops here, so that a surrounding dialog stays open.
      event.preventDefault();
      event.stopPropagation();
      close();
      parent.querySelector('button')?.focus();
    };
    document.addEventListener('pointerdown', closeElsewhere, { signal });
    document.addEventListener('focusin', closeElsewhere, { signal });
    document.addEventListener('scroll', closeElsewhere, { signal, capture: true });
    parent.addEventListener('keydown', closeOnEscape, { signal });
    return () => ending.abort();
  }, []);
  return popover;
}

function putBelow(element: HTMLElement, { left, top, bottom }: DOMRect): void {
  const { offsetWidth, offsetHeight } = element;
  const fits = bottom + offsetHeight + 8 < innerHeight;
  const x = Math.max(8, Math.min(left - 4, innerWidth - offsetWidth - 8));
  const y = fits ? bottom + 2 : Math.max(8, top - offsetHeight - 2);
  element.style.setProperty('left', `${x}px`);
  element.style.setProperty('top', `${y}px`);
}
