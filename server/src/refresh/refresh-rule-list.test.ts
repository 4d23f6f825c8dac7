import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { copyOf, type FetchedList, formatCopy } from '@guard/config/settings/lists/list-copy';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../../test/kit/serve.ts';
import { freePort } from '../../../test/kit/free-port.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { refreshRuleList } from './refresh-rule-list.ts';

const NOW = Date.UTC(2026, 10, 25);
const folder = testFolder();
let number = 0;

/** A list on a new server. `before` is the content of its copy. */
async function listAt(
  handle: RequestListener,
  earlierCopy?: string,
  kind: FetchedList['kind'] = 'ip',
): Promise<FetchedList> {
  number += 1;
  const url = `${await serve(handle)}/list.txt`;
  const copyPath = copyOf(join(folder, String(number)), kind, url);
  if (earlierCopy !== undefined) {
    mkdirSync(dirname(copyPath), { recursive: true });
    const origin = { url, fetched_at: '2026-11-01T00:00:00.000Z', etag: '"1"' };
    writeFileSync(copyPath, formatCopy(origin, earlierCopy));
  }
  return { kind, url, everyMs: 3_600_000, copyPath, isRead: earlierCopy !== undefined };
}

function answers(text: string | Buffer, status = 200, headers = {}): RequestListener {
  return (_request, response) => response.writeHead(status, headers).end(text);
}

const refresh = (list: FetchedList) => refreshRuleList(list, () => NOW);

describe('a plausible list', () => {
  test('becomes the copy, with the URL in it', async () => {
    const list = await listAt(answers('203.0.113.7\n2001:db8::/32 # x\n', 200, { etag: '"2"' }));
    expect(await refresh(list)).toEqual({ kind: 'current', what: { entries: 2 } });
    const origin = { url: list.url, fetched_at: '2026-11-25T00:00:00.000Z', etag: '"2"' };
    const copyText = readFileSync(list.copyPath, 'utf8');
    expect(copyText).toBe(`# ${JSON.stringify(origin)}\n203.0.113.7\n2001:db8::/32 # x\n`);
  });

  test('is requested with the etag of the copy, and a 304 leaves the copy unchanged', async () => {
    const requestHeaders: unknown[] = [];
    const list = await listAt((request, response) => {
      requestHeaders.push(request.headers['if-none-match']);
      response.writeHead(304).end();
    }, '203.0.113.7\n');
    const earlierCopy = readFileSync(list.copyPath, 'utf8');
    expect(await refresh(list)).toEqual({ kind: 'current' });
    expect(requestHeaders).toEqual(['"1"']);
    expect(readFileSync(list.copyPath, 'utf8')).toBe(earlierCopy);
  });

  test('from a URL with a secret in its query gives a copy without the secret', async () => {
    const { copyPath, ...rest } = await listAt((request, response) => {
      if (request.headers['if-none-match'] === '"2"') response.writeHead(304).end();
      else if (request.url?.endsWith('?key=of-a-feed') === true)
        response.writeHead(200, { etag: '"2"' }).end('192.0.2.1\n');
      else response.writeHead(403).end();
    });
    const list = { ...rest, copyPath, url: `${rest.url}?key=of-a-feed` };
    expect(await refresh(list)).toEqual({ kind: 'current', what: { entries: 1 } });
    expect(readFileSync(copyPath, 'utf8')).not.toContain('of-a-feed');
    expect(await refresh(list)).toEqual({ kind: 'current' });
  });

  test('may lose half of its entries, and follows a redirect of the same scheme', async () => {
    const list = await listAt((request, response) => {
      if (request.url === '/moved') response.end('192.0.2.1\n192.0.2.2\n');
      else response.writeHead(302, { location: '/moved' }).end();
    }, '192.0.2.1\n192.0.2.2\n192.0.2.3\n192.0.2.4\n');
    expect(await refresh(list)).toEqual({ kind: 'current', what: { entries: 2 } });
  });
});

describe('after a refusal the last good copy stays in use', () => {
  const BEFORE = '192.0.2.1\n192.0.2.2\n192.0.2.3\n';

  test.each([
    ['an empty one', answers('# nothing\n'), /^a list without entries$/],
    [
      'a web page',
      answers('<html>\n<p>back soon'),
      /^2 lines are no entries, the first is line 1: expected an IP/,
    ],
    ['less than half of it', answers('192.0.2.1\n'), /^1 entries in place of 3: less than half/],
    ['all of the internet', answers(`${BEFORE}0.0.0.0/0\n`), /^0\.0\.0\.0\/0 is wider/],
    ['half of IPv6', answers(`${BEFORE}2000::/4\n`), /^2000::\/4 is wider/],
    ['too many entries', answers('192.0.2.1\n'.repeat(250_001)), /more than 250000 entries/],
    ['too many bytes', answers('#'.repeat(8 * 1024 * 1024)), /^a list of more than/],
    ['an error', answers('', 500), /^status 500$/],
    [
      'another scheme',
      answers('', 302, { location: 'https://127.0.0.1/' }),
      /^a redirect to another scheme$/,
    ],
    [
      'invalid UTF-8 whose copy would exceed the size limit',
      answers(Buffer.concat([Buffer.from(`${BEFORE}#`), Buffer.alloc(3 * 1024 ** 2, 0xff)])),
      /^a list of more than 8 MiB$/,
    ],
    [
      'plain http over a network',
      answers('', 302, { location: 'http://192.0.2.1/list.txt' }),
      /^a redirect over plain http to another machine$/,
    ],
    ['a circle', answers('', 302, { location: '/' }), /^more than 5 redirects$/],
  ] as const)('%s', async (_what, handle, reason) => {
    const list = await listAt(handle, BEFORE);
    const earlierCopy = readFileSync(list.copyPath, 'utf8');
    const result = await refresh(list);
    expect(result).toEqual({
      kind: 'old_copy_stays',
      reason: expect.stringMatching(reason) as string,
    });
    expect(readFileSync(list.copyPath, 'utf8')).toBe(earlierCopy);
  });

  test('a redirect from a public server to a private address is refused', async () => {
    const requestHeaders: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      requestHeaders.push(url);
      const location = url.endsWith('list.txt') ? 'https://8.8.8.8/next' : 'https://10.0.0.1/keys';
      return Promise.resolve(new Response('', { status: 302, headers: { location } }));
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const list = { ...(await listAt(answers(''), BEFORE)), url: 'https://1.1.1.1/list.txt' };
    expect(await refresh(list)).toEqual({
      kind: 'old_copy_stays',
      reason: 'a redirect: 10.0.0.1 resolves to 10.0.0.1, which is no public address',
    });
    expect(requestHeaders).toEqual(['https://1.1.1.1/list.txt', 'https://8.8.8.8/next']);
  });

  test.each(['*', '?*', 'Mozilla/5.0*', '*AppleWebKit*\n*Gecko*'])(
    'patterns that match the common browsers: %s',
    async (patterns) => {
      const list = await listAt(answers(`curl/*\n${patterns}\n`), undefined, 'user_agent');
      expect(await refresh(list)).toEqual({
        kind: 'old_copy_stays',
        reason: 'its patterns match Chrome, Firefox and Safari, which nearly all visitors use',
      });
    },
  );

  test('a server that is away', async () => {
    const list = await listAt(answers(''), BEFORE);
    const unreachableList = { ...list, url: `http://127.0.0.1:${await freePort()}/list.txt` };
    expect(await refresh(unreachableList)).toEqual({
      kind: 'old_copy_stays',
      reason: 'ECONNREFUSED',
    });
    expect(readFileSync(list.copyPath, 'utf8')).toContain(BEFORE);
  });

  test('wide ranges of reserved addresses are accepted, because no visitor has such an address', async () => {
    const list = await listAt(answers('224.0.0.0/3\nfc00::/7\n0.0.0.0/8\n'));
    expect(await refresh(list)).toEqual({ kind: 'current', what: { entries: 3 } });
  });
});
