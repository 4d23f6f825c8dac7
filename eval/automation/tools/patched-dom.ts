import type { Upload } from '../../../validator/page-contract/evidence.ts';
import { answerTicket } from '../../../validator/src/challenge/testing/answers.ts';
import { readFixture } from '../../../validator/src/challenge/testing/challenged-visitor.ts';
import type { DomPage } from './dom-visit.ts';

const RECORDED = readFixture('human/chromium-headful-xvfb-default-screen.json').evidence;

/** The parts of a DOM library's window that the patch needs. */
interface DomWindow {
  /** The class of the boxes on the challenge page. */
  readonly HTMLDivElement: { readonly prototype: object };
  getComputedStyle(box: object): { readonly width: string; readonly height: string };
}

/**
 * Patches a DOM library as an author who has read Guard's code would do: boxes get their sizes from the computed style,
 * and are placed in a part of the document to which the library applies style sheets.
 */
export function measureBoxes(window: DomWindow): void {
  Object.defineProperties(window.HTMLDivElement.prototype, {
    clientHeight: {
      configurable: true,
      get(this: object) {
        return Number.parseFloat(window.getComputedStyle(this).height) || 0;
      },
    },
    // The library does not apply constructed sheets. After this error the page uses a style element.
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

/** Returns the width of a block from its style, or else the width of its parent. */
function widthOf(window: DomWindow, box: Box): number {
  const { width } = window.getComputedStyle(box);
  const outer = () => (box.parentElement === null ? 0 : widthOf(window, box.parentElement));
  const value = Number.parseFloat(width);
  if (Number.isNaN(value)) return outer();
  return width.endsWith('%') ? (outer() * value) / 100 : value;
}

/**
 * Returns a fetch that replaces the readings of an upload, except the reading of the style sheet. The layout is
 * computed, and the other readings come from a recorded browser.
 */
export function correctUploads(fetch: DomPage['fetch']): DomPage['fetch'] {
  return (path, init = {}) => {
    const { body } = init;
    if (body === undefined) return fetch(path, init);
    const upload = JSON.parse(body) as Upload;
    const { startedAtMs, readings } = upload.evidence;
    const computed = answerTicket(RECORDED, upload.ticket);
    const evidence = {
      ...computed,
      startedAtMs,
      readings: { ...computed.readings, cascade: readings.cascade },
    };
    return fetch(path, { ...init, body: JSON.stringify({ ...upload, evidence }) });
  };
}
