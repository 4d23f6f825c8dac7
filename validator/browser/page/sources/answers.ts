import type { Source } from '../source.ts';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { addBox, measureInUnseenSquare } from '../unseen-square.ts';

/** Height of a line, in CSS pixels. It is large, so that letters of one line differ by less than half of it. */
const LINE_PX = 99;
/** Widths of text are rounded to a quarter of the letter size, because hinting moves each letter by half a pixel. */
const TEXT_PX = 10;
/**
 * Cell widths are rounded to this number of CSS pixels. The tables are so large that rounding to whole pixels at any
 * zoom does not change the result.
 */
const CELL_PX = 100;

/**
 * Answers the questions of this visit (src/challenge/learned/). Each answer is a hash of 32 bits, or null when this
 * browser cannot answer. The text of an answer never leaves the page. `asked` is a hash of all questions.
 */
export const answers: Source<'answers'> = ({ questions }) =>
  questions === ''
    ? undefined
    : measureInUnseenSquare((shadow) => ({
        asked: hashOf(questions),
        hashes: questions.split('~').map((question) => answerTo(question, shadow)),
      }));

function answerTo(question: string, shadow: ShadowRoot): number | null {
  try {
    const [first = '', second = ''] = question.slice(1).split('|');
    const answer = kinds[question[0] ?? '']?.(first, second, shadow);
    return answer === undefined ? null : hashOf(answer);
  } catch {
    return null;
  }
}

/** Functions by the first letter of a question. Most questions have two arguments. */
const kinds: Readonly<
  Record<string, (first: string, second: string, shadow: ShadowRoot) => string>
> = {
  /** How this engine serialises declarations of CSS. */
  c(css) {
    const { style } = document.createElement('p');
    style.cssText = css;
    return style.cssText;
  },
  /** Where a text breaks in a box of width 0. The page has already loaded the system font. */
  b(css, text, shadow) {
    const node = document.createTextNode(text);
    addBox(shadow, `${css};width:0;font:16px/${LINE_PX}px system-ui`).appendChild(node);
    const range = document.createRange();
    let starts = '';
    let lineTop = -LINE_PX;
    for (let index = 0; index < text.length; index++) {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const letterTop = range.getBoundingClientRect().top;
      if (letterTop - lineTop > LINE_PX / 2) starts += ` ${index}`;
      lineTop = Math.max(lineTop, letterTop);
    }
    return starts;
  },
  w(css, text, shadow) {
    const line = addBox(shadow, `position:absolute;white-space:pre;${css}`);
    line.textContent = text;
    return roundedWidth(line, TEXT_PX);
  },
  /** The order of the properties of interfaces. */
  p: (names) =>
    names
      .split(',')
      .flatMap((name) => Object.getOwnPropertyNames(prototypeOf(name)))
      .join(),
  /** The widths of a table's cells. */
  t(width, rows, shadow) {
    const table = addElement(shadow, 'table', `width:${width}px`);
    const cells = rows.split(';').flatMap((row) => {
      const line = addElement(table, 'tr', '');
      return row.split(',').map((cell) => {
        const [span = '', css = '', ...parts] = cell.split(' ');
        const cellElement = addElement(line, 'td', css);
        cellElement.colSpan = Number(span);
        for (const part of parts)
          addElement(cellElement, 'b', `display:inline-block;width:${part}px`);
        return cellElement;
      });
    });
    return cells.map((cell) => roundedWidth(cell, CELL_PX)).join();
  },
};

function addElement<N extends 'table' | 'tr' | 'td' | 'b'>(holder: Node, name: N, css: string) {
  const element = document.createElement(name);
  element.style.cssText = css;
  holder.appendChild(element);
  return element;
}

function roundedWidth(element: Element, stepPx: number): string {
  return String(Math.round(element.getBoundingClientRect().width / stepPx));
}

/** The prototype of an interface. Undefined when the browser lacks the interface. */
function prototypeOf(name: string): unknown {
  const interfaces = window as unknown as Readonly<
    Record<string, { prototype: unknown } | undefined>
  >;
  return interfaces[name]?.prototype;
}
