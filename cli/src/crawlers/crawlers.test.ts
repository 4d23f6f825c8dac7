import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { type CommandResult, runCommand } from '../testing/run-command.ts';
import { serve } from '../../../test/kit/serve.ts';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';

const root = testFolder();
let folders = 0;

/** The answers of the operators, by host and path. All other paths are 404. */
const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
const requests: IncomingMessage[] = [];
const base = await serve((request, response) => {
  requests.push(request);
  const answer = answers.get((request.url ?? '').slice(1));
  if (answer) answer(request, response);
  else response.writeHead(404).end();
}, afterAll);
beforeEach(() => {
  answers.clear();
  requests.length = 0;
});

const crawlers = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand('crawlers', ...args);

function newFolder(): string {
  folders += 1;
  return join(root, String(folders));
}

function refresh(into: string, ...args: string[]): Promise<CommandResult> {
  return crawlers('refresh', '--into', into, '--source-base', base, ...args);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).toSorted();
}

const GPTBOT = 'openai.com/gptbot.json';
/** The bundled list in the form in which its operator publishes it. */
const bundled = CrawlerCatalogue.load().lists.find(({ file }) => file === 'openai-gptbot');
const prefixes = (bundled?.entries ?? []).map((ipv4Prefix) => ({ ipv4Prefix }));

function publish(path: string, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  answers.set(path, (_request, response) => response.writeHead(200, headers).end(text));
}

describe('guard crawlers refresh', () => {
  test.each([[[]], [['--json']]])(
    'an answer of a publisher cannot control the terminal: %j',
    async (options) => {
      answers.set(GPTBOT, (_request, response) =>
        response.writeHead(302, { location: 'http://[\u009b2J' }).end(),
      );
      const { code, stdout } = await refresh(newFolder(), 'GPTBot', ...options);
      expect(code).toBe(1);
      expect(stdout).toContain('\\u009b2J');
      expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    },
  );

  test('writes the list of an operator, and the catalogue uses it instead of the bundled list', async () => {
    const into = newFolder();
    publish(GPTBOT, { prefixes: [...prefixes, { ipv4Prefix: '9.9.9.0/24' }] });
    const { code, stdout, stderr } = await refresh(into, 'GPTBot');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `openai-gptbot  updated  ${prefixes.length + 1} ranges\n\n1 of 1 lists are current in ${into}.\n`,
    );
    expect(filesIn(into)).toEqual(['openai-gptbot.json']);
    const catalogue = CrawlerCatalogue.load(undefined, into);
    const gptbot = catalogue.identify('GPTBot/1.2');
    expect(gptbot && catalogue.verify(gptbot, '9.9.9.9')).toBe('verified');
    expect(gptbot && catalogue.verify(gptbot, '8.8.8.8')).toBe('impersonator');
  });

  test('writes into the folder that guard start reads, when the call names no folder', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    const file = join(folder, 'guard.yaml');
    writeFileSync(
      file,
      `version: 1
listen: { gateway: 127.0.0.1:8080 }
secret: b6X0c1v8Yq3rT5wZ2nM9kL4jH7gF0dSa
organisations: [{ id: me }]
sites: [{ hosts: ['*'], organisation: me, origin: 'http://127.0.0.1:3000' }]
store: { engine: memory, path: ./data/store }
`,
    );
    publish(GPTBOT, { prefixes });
    const refreshed = await crawlers('refresh', 'GPTBot', '--config', file, '--source-base', base);
    expect([refreshed.code, refreshed.stderr]).toEqual([0, '']);
    expect(filesIn(join(folder, 'data/store/crawlers'))).toEqual(['openai-gptbot.json']);
    const shown = await crawlers('show', 'GPTBot', '--config', file, '--json');
    expect(shown.stdout).toContain('"age_days":0');
  });

  test('asks whether a list has changed, and records the time if it has not', async () => {
    const into = newFolder();
    const state = { etag: '"v1"', 'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT' };
    publish(GPTBOT, { prefixes }, state);
    await refresh(into, 'openai-gptbot');
    const before = readFileSync(join(into, 'openai-gptbot.json'), 'utf8');
    answers.set(GPTBOT, (_request, response) => response.writeHead(304).end());
    const { code, stdout } = await refresh(into, 'openai-gptbot');
    expect([code, stdout]).toEqual([0, expect.stringContaining('openai-gptbot  unchanged')]);
    expect(requests[0]?.headers).not.toHaveProperty('if-none-match');
    expect(requests[1]?.headers).toMatchObject({
      'if-none-match': '"v1"',
      'if-modified-since': 'Fri, 20 Nov 2026 08:00:00 GMT',
    });
    const after = readFileSync(join(into, 'openai-gptbot.json'), 'utf8');
    const withoutTime = (text: string) => text.replace(/"fetched_at": "[^"]+"/, '');
    expect(withoutTime(after)).toBe(withoutTime(before));
    expect(after).not.toBe(before);
  });

  test('joins a list that is published in parts, and does not use it when one part fails', async () => {
    const into = newFolder();
    const all = CrawlerCatalogue.load().lists.find(({ file }) => file === 'uptimerobot');
    const partOf = (isV6: boolean) =>
      (all?.entries ?? []).filter((entry) => entry.includes(':') === isV6).join('\n');
    publish('uptimerobot.com/inc/files/ips/IPv4.txt', partOf(false));
    const failedRun = await refresh(into, 'UptimeRobot');
    expect([failedRun.code, failedRun.stdout]).toEqual([1, expect.stringContaining('status 404')]);
    publish('uptimerobot.com/inc/files/ips/IPv6.txt', partOf(true));
    expect((await refresh(into, 'UptimeRobot')).code).toBe(0);
    const lists = CrawlerCatalogue.load(undefined, into).lists;
    expect(lists.find(({ file }) => file === 'uptimerobot')?.entries).toHaveLength(
      all?.entries.length ?? 0,
    );
  });

  test('ignores bogons and ranges that are too wide, and reports their number', async () => {
    const into = newFolder();
    const oddRanges = ['192.168.1.0/24', '0.0.0.0/0'].map((ipv4Prefix) => ({ ipv4Prefix }));
    publish(GPTBOT, { prefixes: [...prefixes, ...oddRanges] });
    const { stdout } = await refresh(into, 'GPTBot', '--json');
    expect(JSON.parse(stdout)).toEqual({
      into,
      lists: [
        {
          file: 'openai-gptbot',
          operator: 'OpenAI',
          result: 'updated',
          ranges: prefixes.length,
          dropped: 2,
          reason: '',
        },
      ],
    });
  });

  describe('does not change a list, and ends with 1,', () => {
    const tooLargeList = `${' '.repeat(4 * 1024 * 1024)}9.9.9.9`;
    test.each<[string, unknown, string]>([
      ['when a maintenance page comes with status 200', '<html>Back soon</html>', 'a web page'],
      ['when one entry is no address', { prefixes: [{ ipv4Prefix: 'soon' }] }, 'is no address'],
      ['when nothing usable is left', ['10.0.0.0/8'], 'no usable address'],
      ['when more than half of it would go', prefixes.slice(0, 1), 'more than half'],
      ['when it is larger than 4 MiB', tooLargeList, 'more than 4 MiB'],
    ])('%s', async (_when, body, reason) => {
      const into = newFolder();
      publish(GPTBOT, { prefixes });
      await refresh(into, 'GPTBot');
      const before = readFileSync(join(into, 'openai-gptbot.json'), 'utf8');
      publish(GPTBOT, body);
      const { code, stdout } = await refresh(into, 'GPTBot');
      expect(code).toBe(1);
      expect(stdout).toContain(reason);
      expect(readFileSync(join(into, 'openai-gptbot.json'), 'utf8')).toBe(before);
      expect(filesIn(into)).toEqual(['openai-gptbot.json']);
    });

    test('when no answer comes in time', async () => {
      answers.set(GPTBOT, () => undefined);
      const { code, stdout } = await refresh(newFolder(), 'GPTBot', '--timeout', '0.2');
      expect([code, stdout]).toEqual([1, expect.stringContaining('no answer within 0.2 s')]);
    });
  });

  test('accepts a smaller list with --accept-drop', async () => {
    publish(GPTBOT, prefixes.slice(0, 1));
    expect((await refresh(newFolder(), 'GPTBot', '--accept-drop')).code).toBe(0);
  });

  test('asks every operator, and a list that fails does not delay the others', async () => {
    const into = newFolder();
    publish(GPTBOT, { prefixes });
    const { code, stdout } = await refresh(into, '--json');
    const { lists } = JSON.parse(stdout) as { lists: { file: string; result: string }[] };
    expect(code).toBe(1);
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.find(({ file }) => file === 'openai-gptbot')?.result).toBe('updated');
    expect(lists.filter(({ result }) => result !== 'failed')).toHaveLength(1);
    expect(filesIn(into)).toEqual(['openai-gptbot.json']);
  });
});

describe('guard crawlers list and show', () => {
  test('list has a line for each crawler: operator, category, ranges with their age, proofs', async () => {
    const { code, stdout } = await crawlers('list', '--ranges', mkdtempSync(join(root, 'empty-')));
    const lines = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^NAME +OPERATOR +CATEGORY +RANGES +AGE +PROOFS$/);
    expect(lines).toHaveLength(CrawlerCatalogue.load().all().length + 1);
    const line = (name: string) => lines.find((one) => one.startsWith(`${name} `));
    expect(line('Googlebot')).toMatch(/Google +Search Engine +\d+ +\d+ d +ranges, reverse_dns$/);
    expect(line('Baiduspider')).toMatch(/Baidu +Search Engine +- +- +reverse_dns$/);
  });

  test('list shows the crawlers whose data contain a text, also as JSON', async () => {
    const { stdout } = await crawlers(
      'list',
      'openai',
      '--json',
      '--ranges',
      mkdtempSync(join(root, 'empty-')),
    );
    const found = JSON.parse(stdout) as { name: string; operator: string }[];
    expect(found.map(({ name }) => name)).toContain('GPTBot');
    expect(new Set(found.map(({ operator }) => operator))).toEqual(new Set(['OpenAI']));
  });

  test('show prints all data of one crawler from the given folder; the case of the name does not matter', async () => {
    const into = newFolder();
    publish(GPTBOT, { prefixes: [...prefixes, { ipv4Prefix: '9.9.9.0/24' }] });
    await refresh(into, 'GPTBot');
    const { code, stdout } = await crawlers('show', 'gptbot', '--ranges', into);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^name +GPTBot\n/);
    expect(stdout).toContain('(0 days)');
    expect(stdout.trimEnd().split('\n')).toContain('9.9.9.0/24');
    const jsonRun = await crawlers('show', 'gptbot', '--ranges', into, '--json');
    expect(JSON.parse(jsonRun.stdout)).toMatchObject({ name: 'GPTBot', ranges: { age_days: 0 } });
  });
});

describe('the exit code', () => {
  test.each([
    [1, ['show', 'nobody-of-this-name']],
    [2, []],
    [2, ['lst']],
    [2, ['show']],
    [2, ['list', 'a', 'b']],
    [2, ['refresh', 'nobody-of-this-name']],
    [2, ['refresh', 'Baiduspider']],
    [2, ['refresh', '--timeout', 'soon']],
    [2, ['refresh', '--source-base', 'here']],
  ])('is %d for %j', async (code, args) => {
    const result = await crawlers(...args);
    expect([result.code, result.stderr]).toEqual([
      code,
      expect.stringContaining('guard crawlers: '),
    ]);
  });

  test('is 1 for a given folder that does not exist', async () => {
    const { code, stdout, stderr } = await crawlers('list', '--ranges', join(root, 'nowhere'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('nowhere: there is no such folder');
  });

  test('is 0 for a search without results, and a message reports it', async () => {
    const { code, stdout, stderr } = await crawlers('list', 'zzzz');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe('guard crawlers: none has "zzzz" in its name, operator or category\n');
  });

  test('is 1 for a folder with an invalid file, and the message names the file', async () => {
    const folder = mkdtempSync(join(root, 'odd-'));
    writeFileSync(join(folder, 'openai-gptbot.json'), '{}');
    const { code, stderr } = await crawlers('list', '--ranges', folder);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/openai-gptbot\.json\n$/)]);
  });
});
