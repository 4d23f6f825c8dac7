import { renderCode } from './code-html.ts';
import { escapeHtml, renderInline } from './inline-html.ts';
import { anchorOf } from '../pages/page.ts';
import { plainText } from './plain-text.ts';

/** Renders the Markdown of docs/guide/: headings, paragraphs, flat lists, tables and fenced code. Escapes raw HTML. */
export function renderMarkdown(markdown: string): string {
  const lines = markdown.split('\n');
  const html: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const block = blocks.find(({ starts }) => starts.test(line)) ?? paragraph;
    const end = block.end(lines, at);
    html.push(block.render(lines.slice(at, end)));
    at = end;
  }
  return html.join('\n');
}

interface Block {
  readonly starts: RegExp;
  /** Index of the first line after the block. */
  readonly end: (lines: readonly string[], start: number) => number;
  readonly render: (lines: readonly string[]) => string;
}

const heading: Block = {
  starts: /^#{1,3} /,
  end: (_lines, start) => start + 1,
  render: ([line = '']) => {
    const level = line.indexOf(' ');
    const text = line.slice(level + 1);
    if (level === 1) return `<h1>${renderInline(text)}</h1>`;
    const anchor = escapeHtml(anchorOf(text));
    return `<h${level} id="${anchor}"><a href="#${anchor}">${renderInline(text)}</a></h${level}>`;
  },
};

const code: Block = {
  starts: /^```/,
  end: (lines, start) => {
    const close = lines.indexOf('```', start + 1);
    return close === -1 ? lines.length : close + 1;
  },
  render: ([fence = '', ...lines]) => {
    const text = lines.at(-1) === '```' ? lines.slice(0, -1) : lines;
    return renderCode(fence.slice(3).trim(), text.join('\n'));
  },
};

const table: Block = {
  starts: /^\|/,
  end: (lines, start) => endOf(lines, start, (line) => line.startsWith('|')),
  render: ([head = '', , ...rows]) => {
    const names = cells(head).map((cell) => plainText(cell));
    const headings = cells(head).map((cell) => `<th>${renderInline(cell)}</th>`);
    const body = rows.map((line) => `<tr>${dataCells(line, names)}</tr>`).join('\n');
    const label = escapeHtml(names.join(', '));
    // A keyboard must be able to scroll a wide table (WCAG 2.1.1).
    return `<div class="table" tabindex="0" role="group" aria-label="Table: ${label}"><table${names.length > 2 ? ' class="stacks"' : ''}><thead><tr>${headings.join('')}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
  },
};

/** In a wide table each cell carries the name of its column, because a phone shows each row as a list. */
function dataCells(line: string, names: readonly string[]): string {
  return cells(line)
    .map((cell, column) => {
      const name =
        names.length > 2 && column > 0 ? ` data-name="${escapeHtml(names[column] ?? '')}"` : '';
      return `<td${name}>${renderInline(cell)}</td>`;
    })
    .join('');
}

const bullets = listBlock(/^- /, 'ul');
const numbers = listBlock(/^\d+\. /, 'ol');

const paragraph: Block = {
  starts: /^/,
  end: (lines, start) =>
    endOf(
      lines,
      start,
      (line) => line.trim() !== '' && !blocks.some(({ starts }) => starts.test(line)),
    ),
  render: (lines) => `<p>${renderInline(lines.join('\n'))}</p>`,
};

const blocks: readonly Block[] = [heading, code, table, bullets, numbers];

/** The cells of one table row. In a cell, `\|` stands for a bar. */
export function cells(line: string): string[] {
  return line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** A flat list. An indented line belongs to the item above it. */
function listBlock(marker: RegExp, tag: 'ul' | 'ol'): Block {
  return {
    starts: marker,
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
  belongs: (line: string) => boolean,
): number {
  let end = start + 1;
  while (end < lines.length && belongs(lines[end] ?? '')) end += 1;
  return end;
}
