import * as limits from '@guard/config/contract/limits';
import { reasons } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import { cellsOf } from './render/markdown-html.ts';
import { loadPages } from './pages/load-pages.ts';
import { readReasonTexts, reasonPages } from './pages/reason-pages.ts';

const pages = loadPages();
const everyPage = [...pages, ...reasonPages()];

function markdownOf(path: string): string {
  const page = pages.find((candidate) => candidate.path === path);
  expect(page, path).toBeDefined();
  return page?.markdown ?? '';
}

/** Returns the rows of all tables whose first column has this heading. Code marks and links are removed. */
function tableRows(path: string, firstHead: string): string[][] {
  const rows: string[][] = [];
  let insideCode = false;
  for (const line of markdownOf(path).split('\n')) {
    const row = line.startsWith('|') ? cellsOf(line).map(withoutMarks) : [];
    if (row.length === 0) insideCode = false;
    else if (row[0] === firstHead) insideCode = true;
    else if (insideCode && !/^-+$/.test(row[0] ?? '')) rows.push(row);
  }
  return rows;
}

const withoutMarks = (cell: string) =>
  cell.replaceAll('`', '').replace(/^\[([^\]]+)\]\([^)]+\)$/, '$1');

describe('the documentation agrees with the code', () => {
  test('each block reason has a text with the three expected headings', () => {
    const texts = readReasonTexts();
    expect([...texts.keys()].toSorted()).toEqual(Object.keys(reasons).toSorted());
    for (const [name, text] of texts) {
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect(headings, name).toEqual(['What is looked at', 'Who else can have it', 'What to do']);
    }
  });

  test.each([
    ['Time budget of one decision', limits.VALIDATE.budgetMs],
    ['Body of POST /validate', limits.VALIDATE.maxBodyBytes / 1024],
    ['Headers of the described request', limits.VALIDATE.maxHeaders],
    ['url', limits.VALIDATE.maxUrlLength],
    ['Time to answer a challenge', limits.CHALLENGE.ticketTtlMs / 60_000],
    ['Difference of the clocks of two instances', limits.CHALLENGE.clockSkewMs / 1000],
    ['Body of an upload', limits.CHALLENGE.maxUploadBytes / 1024],
    ['Time to judge and keep one', limits.CHALLENGE.uploadBudgetMs],
    ['Uploads of one network', limits.CHALLENGE.uploadsPerNetwork.requests],
    ['Uploads of one network', limits.CHALLENGE.uploadsPerNetwork.perMs / 1000],
    ['Challenges of one network without work', limits.CHALLENGE.freePasses.passes],
    ['Bits of work', limits.CHALLENGE.work.max],
    ['Bits of work', limits.CHALLENGE.work.advised],
    ['Statement', limits.QUERY.maxStatementChars],
    ['Statement in one query call', limits.MCP.maxStatementBytes],
    ['Body', limits.QUERY.maxBodyBytes / 1024],
    ['Body', limits.MCP.docsMaxBodyBytes / 1024],
    ['Execution time', limits.QUERY.maxExecutionS],
    ['Rows returned', limits.QUERY.maxRows],
    ['Answer', limits.QUERY.maxAnswerBytes / 1024 ** 2],
    ['Queries at a time, of one key', limits.QUERY.runningOfKey],
    ['Queries at a time, of one organisation', limits.QUERY.runningOfOrganisation],
    ['Queries that wait, of each', limits.QUERY.maxWaiting],
    ['Answer of one tool call', limits.MCP.maxToolAnswerBytes / 1024],
    ['limit of search_docs', limits.MCP.searchLimit.max],
    ['limit of search_docs', limits.MCP.searchLimit.default],
  ])('limits: %s is %d', (limit, value) => {
    const rows = tableRows('/limits', 'Limit').filter(([name]) => name === limit);
    expect(rows.map(([, text]) => text?.match(/\d+/g) ?? []).flat()).toContain(String(value));
  });

  test('limits: events are kept as long as the contract says', () => {
    expect(tableRows('/limits', 'What').map(([, kept]) => kept)).toEqual([
      `${limits.RETENTION.rowsS / 86_400} days`,
      `${limits.RETENTION.detailS / 86_400} days`,
    ]);
  });
});

describe('the pages of the guide', () => {
  test('have the positions 1, 2, 3 and so on', () => {
    expect(pages.map(({ order }) => order)).toEqual(pages.map((_page, index) => index + 1));
  });

  test('show only valid JSON', () => {
    const examples = everyPage.flatMap(({ path, markdown }) =>
      [...markdown.matchAll(/^```json\n([\s\S]+?)^```$/gm)].map(([, json = '']) => ({
        path,
        json,
      })),
    );
    expect(examples.length).toBeGreaterThan(5);
    for (const { path, json } of examples) expect(() => void JSON.parse(json), path).not.toThrow();
  });

  test('contract 5: every configuration of an assistant sends the key to the data server', () => {
    const blocks = [
      ...markdownOf('/assistants').matchAll(/^```(?:json|toml|sh)\n([\s\S]+?)^```$/gm),
    ].map(([, block = '']) => block);
    const toData = blocks.filter((block) => block.includes('8082/mcp'));
    expect(toData.length).toBeGreaterThanOrEqual(8);
    for (const block of toData) expect(block).toMatch(/Bearer |bearer_token_env_var/);
  });

  test('write all commands in the same form: --config in full, and SQL with --data-binary', () => {
    const commands = everyPage.flatMap(({ path, markdown }) => [
      ...[...markdown.matchAll(/^(?:\$ )?((?:\w+=\S+ )?guard .*)$/gm)].map(([, line]) => ({
        path,
        line,
      })),
      ...[...markdown.matchAll(/`(guard [^`]+)`/g)].map(([, line]) => ({ path, line })),
    ]);
    expect(commands.length).toBeGreaterThan(60);
    expect(commands.filter(({ line }) => / -c /.test(line ?? ''))).toEqual([]);
    const connections = everyPage.flatMap(
      ({ markdown }) => markdown.match(/^curl .*\/query(?:.*\\\n)*.*/gm) ?? [],
    );
    expect(connections.length).toBeGreaterThanOrEqual(2);
    for (const line of connections)
      expect(line).toMatch(/ "Authorization: Bearer \$ANALYTICS_KEY" --data-binary /);
  });

  test('use only the Markdown that the site renders', () => {
    for (const { path, markdown } of everyPage) {
      const prose = markdown
        .replaceAll(/^```[\s\S]*?^```$/gm, '')
        .replaceAll(/`[^`]+`/g, '')
        .replaceAll(/!\[[^\]]+\]\(\/images\/[a-z0-9-]+\.png\)/g, '');
      expect(prose, path).not.toMatch(/^(?:>|\* |\+ |#{4,}| {2,}[-*\d]|---$)|<[a-z/!]|!\[/m);
      // The site turns only these targets into links, and site-links.test.ts follows each link of the site.
      expect(prose, path).not.toMatch(/\]\((?!https?:\/\/|\/|#)/);
    }
  });
});
