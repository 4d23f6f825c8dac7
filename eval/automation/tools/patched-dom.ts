import type { Upload } from '../../../validator/page-contract/evidence.ts';
import { answering } from '../../../validator/src/challenge/testing/answers.ts';
import { fixture } from '../../../validator/src/challenge/testing/challenged-visitor.ts';
import type { DomPage } from './dom-visit.ts';

const RECORDED = fixture('human/chromium-headful-xvfb-default-screen.json').evidence;

/** What the patch needs of a DOM library's window. */
interface DomWindow {
  /** Boxes are of this kind. */
  readonly HTMLDivElement: { readonly prototype: object };
  getComputedStyle(box: object): { readonly width: string; readonly height: string };
}

/**
 * Gives a DOM library what its author would add who has read Guard's code: boxes measured from the computed style,
 * and a ground for them that the library's style sheets reach.
 */
export function measureBoxes(window: DomWindow): void {
  Object.defineProperties(window.HTMLDivElement.prototype, {
    clientHeight: {
      configurable: true,
      get(this: object) {
        return Number.parseFloat(window.getComputedStyle(this).height) || 0;
      },
    },
    // A constructed sheet would style nothing here. Without it the page writes a style element.
    adoptedStyleSheets: {
      configurable: true,
      set() {
        throw new TypeError();
      },
    },
    attachShadow: {
      configurable: true,
      value(this: object) {
        return this;
      },
    },
    getBoundingClientRect: {
      configurable: true,
      value(this: Box) {
        return { left: 0, top: 0, width: widthOf(window, this) };
      },
    },
  });
}

interface Box {
  readonly parentElement: Box | null;
}

/** A block is as wide as its style says, or as what holds it. */
function widthOf(window: DomWindow, box: Box): number {
  const { width } = window.getComputedStyle(box);
  const outer = () => (box.parentElement === null ? 0 : widthOf(window, box.parentElement));
  const value = Number.parseFloat(width);
  if (Number.isNaN(value)) return outer();
  return width.endsWith('%') ? (outer() * value) / 100 : value;
}

/**
 * The page's fetch, which lets nothing of the library's readings through but the style sheet's: the layout is
 * computed, and all else a browser has once measured.
 */
export function correcting(fetch: DomPage['fetch']): DomPage['fetch'] {
  return (path, init = {}) => {
    const { body } = init;
    if (body === undefined) return fetch(path, init);
    const upload = JSON.parse(body) as Upload;
    const { startedAtMs, readings } = upload.evidence;
    const computed = answering(RECORDED, upload.ticket);
    const evidence = {
      ...computed,
      startedAtMs,
      readings: { ...computed.readings, cascade: readings.cascade },
    };
    return fetch(path, { ...init, body: JSON.stringify({ ...upload, evidence }) });
  };
}
