import { renderCode } from './code-html.ts';
import { escapeHtml, renderInline } from './inline-html.ts';
import { anchorOf } from '../pages/page.ts';
import { plainText } from './plain-text.ts';

/** Renders the Markdown of docs/guide/: headings, paragraphs, flat lists, tables and fenced code. Escapes raw HTML. */
export function renderMarkdown(markdown: string): string {
  const lines = markdown.split('\n');
  const html: string[] = [];
  let lineIndex = 0;
  while (lineIndex < lines.length) {
    const line = lines[lineIndex] ?? '';
    if (line.trim() === '') {
      lineIndex += 1;
      continue;
    }
    const block = blocks.find(({ startPattern }) => startPattern.test(line)) ?? paragraphBlock;
    const end = block.end(lines, lineIndex);
    html.push(block.render(lines.slice(lineIndex, end)));
    lineIndex = end;
  }
  return html.join('\n');
}

interface Block {
  readonly startPattern: RegExp;
  /** The index of the first line after the block. */
  readonly end: (lines: readonly string[], start: number) => number;
  readonly render: (lines: readonly string[]) => string;
}

const headingBlock: Block = {
  startPattern: /^#{1,3} /,
  end: (_lines, start) => start + 1,
  render: ([line = '']) => {
    const level = line.indexOf(' ');
    const text = line.slice(level + 1);
    if (level === 1) return `<h1>${renderInline(text)}</h1>`;
    const anchor = escapeHtml(anchorOf(text));
    return `<h${level} id="${anchor}"><a href="#${anchor}">${renderInline(text)}</a></h${level}>`;
  },
};

const codeBlock: Block = {
  startPattern: /^```/,
  end: (lines, start) => {
    const close = lines.indexOf('```', start + 1);
    return close === -1 ? lines.length : close + 1;
  },
  render: ([fence = '', ...lines]) => {
    const codeLines = lines.at(-1) === '```' ? lines.slice(0, -1) : lines;
    return renderCode(fence.slice(3).trim(), codeLines.join('\n'));
  },
};

const tableBlock: Block = {
  startPattern: /^\|/,
  end: (lines, start) => endOf(lines, start, (line) => line.startsWith('|')),
  render: ([headRow = '', , ...rows]) => {
    const names = cellsOf(headRow).map((cell) => plainText(cell));
    const headings = cellsOf(headRow).map((cell) => `<th>${renderInline(cell)}</th>`);
    const body = rows.map((line) => `<tr>${dataCells(line, names)}</tr>`).join('\n');
    const label = escapeHtml(names.join(', '));
    // A keyboard must be able to scroll a wide table (WCAG 2.1.1).
    return `<div class="table" tabindex="0" role="group" aria-label="Table: ${label}"><table${names.length > 2 ? ' class="stacks"' : ''}><thead><tr>${headings.join('')}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
  },
};

/** A phone shows each row of a wide table as a list, so each cell has the name of its column. */
function dataCells(line: string, names: readonly string[]): string {
  return cellsOf(line)
    .map((cell, column) => {
      const name =
        names.length > 2 && column > 0 ? ` data-name="${escapeHtml(names[column] ?? '')}"` : '';
      return `<td${name}>${renderInline(cell)}</td>`;
    })
    .join('');
}

const bulletList = listBlock(/^- /, 'ul');
const numberedList = listBlock(/^\d+\. /, 'ol');

const paragraphBlock: Block = {
  startPattern: /^/,
  end: (lines, start) =>
    endOf(
      lines,
      start,
      (line) => line.trim() !== '' && !blocks.some(({ startPattern }) => startPattern.test(line)),
    ),
  render: (lines) => `<p>${renderInline(lines.join('\n'))}</p>`,
};

const blocks: readonly Block[] = [headingBlock, codeBlock, tableBlock, bulletList, numberedList];

/** Returns the cells of one table row. In a cell, `\|` is a bar that does not end the cell. */
export function cellsOf(line: string): string[] {
  return line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Creates the block of a flat list. An indented line continues the item above it. */
function listBlock(marker: RegExp, tag: 'ul' | 'ol'): Block {
  return {
    startPattern: marker,
    end: (lines, start) => endOf(lines, start, (line) => marker.test(line) || /^ +\S/.test(line)),
    render: (lines) => {
      const items: string[] = [];
      for (const line of lines) {
        if (marker.test(line)) items.push(line.replace(marker, ''));
        else items.push(`${items.pop() ?? ''}\n${line.trim()}`);
      }
      return `<${tag}>\n${items.map((item) => `<li>${renderInline(item)}</li>`).join('\n')}\n</${tag}>`;
    },
  };
}

function endOf(
  lines: readonly string[],
  start: number,
  isInBlock: (line: string) => boolean,
): number {
  let end = start + 1;
  while (end < lines.length && isInBlock(lines[end] ?? '')) end += 1;
  return end;
}
