import type { Source } from '../source.ts';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { box, inUnseenSquare } from '../unseen-square.ts';

/** A vertical distance above this is a new line, in CSS pixels. Letters of one line differ less. */
const LINE_PX = 99;
/** Widths of text are rounded to a quarter of the letter size, because hinting moves each letter by half a pixel. */
const TEXT_PX = 10;
/** Cell widths are rounded to this. Tables are huge, so whole pixels at any zoom give the same result. */
const CELL_PX = 100;

/**
 * Answers the questions of this visit (src/challenge/learned/). Each answer is a hash of 32 bits, or null when this
 * browser cannot answer. The hashed text never leaves the page. `asked` is the same hash of the questions.
 */
export const answers: Source<'answers'> = ({ questions }) =>
  questions === ''
    ? undefined
    : inUnseenSquare((shadow) => ({
        asked: hashOf(questions),
        hashes: questions.split('~').map((question) => answerTo(question, shadow)),
      }));

function answerTo(question: string, shadow: ShadowRoot): number | null {
  try {
    const [asked = '', more = ''] = question.slice(1).split('|');
    const answer = kinds[question[0] ?? '']?.(asked, more, shadow);
    return answer === undefined ? null : hashOf(answer);
  } catch {
    return null;
  }
}

/** Functions by the first letter of a question. */
const kinds: Readonly<Record<string, (asked: string, more: string, shadow: ShadowRoot) => string>> =
  {
    /** Declarations as this engine serialises them. */
    c(css) {
      const { style } = document.createElement('p');
      style.cssText = css;
      return style.cssText;
    },
    /** Line breaks of a text in a line without space. The page has already loaded the system font. */
    b(css, text, shadow) {
      const node = document.createTextNode(text);
      box(shadow, `${css};width:0;font:16px/${LINE_PX}px system-ui`).appendChild(node);
      const range = document.createRange();
      let starts = '';
      let top = -LINE_PX;
      for (let at = 0; at < text.length; at++) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const now = range.getBoundingClientRect().top;
        if (now - top > LINE_PX / 2) starts += ` ${at}`;
        top = Math.max(top, now);
      }
      return starts;
    },
    /** The width of a text. */
    w(css, text, shadow) {
      const line = box(shadow, `position:absolute;white-space:pre;${css}`);
      line.textContent = text;
      return rounded(line, TEXT_PX);
    },
    /** The order of an interface's properties. */
    p: (names) =>
      names
        .split(',')
        .flatMap((name) => Object.getOwnPropertyNames(prototypeOf(name)))
        .join(),
    /** The widths of a table's cells. */
    t(width, rows, shadow) {
      const table = added(shadow, 'table', `width:${width}px`);
      const cells = rows.split(';').flatMap((row) => {
        const line = added(table, 'tr', '');
        return row.split(',').map((cell) => {
          const [span = '', css = '', ...parts] = cell.split(' ');
          const made = added(line, 'td', css);
          made.colSpan = Number(span);
          for (const part of parts) added(made, 'b', `display:inline-block;width:${part}px`);
          return made;
        });
      });
      return cells.map((cell) => rounded(cell, CELL_PX)).join();
    },
  };

function added<N extends 'table' | 'tr' | 'td' | 'b'>(holder: Node, name: N, css: string) {
  const made = document.createElement(name);
  made.style.cssText = css;
  holder.appendChild(made);
  return made;
}

function rounded(element: Element, px: number): string {
  return String(Math.round(element.getBoundingClientRect().width / px));
}

/** The prototype of an interface. Undefined when the browser does not have it. */
function prototypeOf(name: string): unknown {
  const all = window as unknown as Readonly<Record<string, { prototype: unknown } | undefined>>;
  return all[name]?.prototype;
}
