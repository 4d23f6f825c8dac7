import { execFile, type ExecException } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  COMMITTED_FILE,
  COMMITTED_TEXT,
  GIT_ENV,
  type GitOrigin,
  startGitOrigin,
} from '../kit/origins/git-origin.ts';
import { poll, send } from '../kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasCurl, hasGit } from '../kit/tools.ts';
import { HOME_IP } from '../kit/visitors/visitors.ts';

/**
 * These tests use `presets: […]` for a forge and a shop that challenge everybody, with real programs that run no
 * JavaScript. Requests that pass are counted at the origins and in SQL.
 */

const FORGE = 'forge.example';

let shop: RecordingOrigin;
let gitOrigin: GitOrigin;
let product: Product;
let folder: string;

beforeAll(async () => {
  shop = await startRecordingOrigin();
  gitOrigin = await startGitOrigin();
  folder = await mkdtemp(join(tmpdir(), 'guard-presets-'));
  const settings = productSettings(shop.url);
  const [organisation] = settings['organisations'] as [object]; // the form that product-settings.ts writes
  const [site] = settings['sites'] as [object];
  product = await startProduct({
    ...settings,
    organisations: [
      {
        ...organisation,
        presets: ['well-known', 'feeds', 'git', 'webhooks', 'monitors', 'link-previews'],
        webhook_paths: ['/hooks/**'],
      },
    ],
    sites: [site, { hosts: [FORGE], organisation: 'acme', origin: gitOrigin.url }],
  });
});
afterAll(async () => {
  await product.stop();
  await gitOrigin.close();
  await shop.close();
  await rm(folder, { recursive: true, force: true });
});

interface ProgramEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
function run(program: string, args: readonly string[]): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    execFile(program, args, { env: GIT_ENV }, (error: ExecException | null, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

const forgeOptions = ['-c', `http.extraHeader=Host: ${FORGE}`];
const urlOf = (path: string) => product.addresses.gateway + path;

/** Waits until `count` events match, and returns their actions and rules. */
async function rulesOf(condition: string, count: number): Promise<string[]> {
  const rows = await poll(
    () =>
      rowsOf<{ action: string; rule: string }>(
        product,
        `SELECT action, rule FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND ${condition}`,
      ),
    (found) => found.length >= count,
  );
  return [...new Set(rows.map(({ action, rule }) => `${action} by ${rule}`))];
}

describe.skipIf(!hasGit)('presets: [git], with git itself', () => {
  test('clones over smart HTTP, and pushes a commit', async () => {
    const clone = join(folder, 'clone');
    const cloneRun = await run('git', [
      ...forgeOptions,
      'clone',
      '-q',
      urlOf(gitOrigin.repository),
      clone,
    ]);
    expect(cloneRun).toMatchObject({ code: 0 });
    expect(await readFile(join(clone, COMMITTED_FILE), 'utf8')).toBe(COMMITTED_TEXT);

    await writeFile(join(clone, COMMITTED_FILE), COMMITTED_TEXT.replaceAll('line', 'row'));
    const cloneOptions = ['-C', clone, ...forgeOptions];
    expect(await run('git', [...cloneOptions, 'commit', '-qam', 'Rename'])).toMatchObject({
      code: 0,
    });
    const pushRun = await run('git', [...cloneOptions, 'push', '-q', 'origin', 'main']);
    expect(pushRun).toMatchObject({ code: 0 });
    const head = await run('git', ['-C', clone, 'rev-parse', 'HEAD']);
    const remote = await run('git', [
      ...forgeOptions,
      'ls-remote',
      urlOf(gitOrigin.repository),
      'main',
    ]);
    expect(remote.stdout).toContain(head.stdout.trim());

    const { repository, arrivals } = gitOrigin;
    expect(arrivals).toContain(`GET ${repository}/info/refs?service=git-upload-pack`);
    expect(arrivals).toContain(`POST ${repository}/git-upload-pack`);
    expect(arrivals).toContain(`POST ${repository}/git-receive-pack`);
    const rules = await rulesOf(
      `host = '${FORGE}' AND path LIKE '${repository}/%'`,
      arrivals.length,
    );
    expect(rules).toEqual(['allow by preset:git']);
  });

  test.each(['/', '/ada/engine', '/ada/engine.git/info/refs', '/?service=git-upload-pack'])(
    'a request with the User-Agent of git is challenged on %s, and no request reaches the forge',
    async (path) => {
      const countBefore = gitOrigin.arrivals.length;
      const answer = await send(urlOf(path), {
        headers: { host: FORGE, 'user-agent': 'git/2.39.5', accept: '*/*' },
      });
      expect(answer.status).toBe(403);
      expect(gitOrigin.arrivals).toHaveLength(countBefore);
    },
  );
});

describe.skipIf(!hasCurl)('presets: [well-known, feeds, webhooks], with curl', () => {
  const statusOf = async (path: string, args: readonly string[] = []) => {
    const curlOptions = ['-s', '-o', join(folder, 'body'), '-w', '%{http_code}', '--path-as-is'];
    return (await run('curl', [...curlOptions, ...args, urlOf(path)])).stdout;
  };

  const passing: readonly (readonly [string, string, readonly string[]])[] = [
    ['/.well-known/acme-challenge/token', 'preset:well-known', []],
    ['/robots.txt', 'preset:well-known', []],
    ['/blog/feed/', 'preset:feeds', []],
    ['/releases.atom', 'preset:feeds', ['-I']],
    ['/hooks/orders', 'preset:webhooks', ['--json', '{"paid":true}']],
  ];

  test.each(passing)('a request for %s passes by the preset %s', async (path, _rule, args) => {
    expect(await statusOf(path, args)).toBe('200');
    expect(shop.arrivals.map(({ url }) => url)).toContain(path);
  });

  // Events are written a second later, so these tests follow after all requests.
  test.each(passing)('the event of %s names the preset %s', async (path, rule) => {
    expect(await rulesOf(`path = '${path}'`, 1)).toEqual([`allow by ${rule}`]);
  });

  test.each([
    ['/products', []],
    ['/.well-known/../products', []],
    ['/products%3f.rss', []],
    ['/blog/feed/', ['-d', 'comment=spam']],
    ['/orders', ['--json', '{"paid":true}']],
  ])('curl %s %j is challenged, and does not reach the shop', async (path, args) => {
    const countBefore = shop.arrivals.length;
    expect(await statusOf(path, args)).toBe('403');
    expect(shop.arrivals).toHaveLength(countBefore);
  });
});

test('on a site that selects the page by a query parameter on any path, a program gets 50 pages through a preset', async () => {
  const ask = (path: string, ip = '84.115.9.9') =>
    send(urlOf(path), {
      headers: { host: 'shop.example', 'user-agent': 'curl/8.5.0', 'x-forwarded-for': ip },
    });
  const statuses: number[] = [];
  for (let page = 0; page < 55; page += 1) {
    statuses.push((await ask(`/robots.txt?curid=${page}`)).status);
  }
  expect(statuses.lastIndexOf(200)).toBe(49);
  expect(statuses.slice(50)).toEqual([403, 403, 403, 403, 403]);
  expect((await ask('/robots.txt?rest_route=/wp/v2/posts', '84.115.9.8')).status).toBe(403);
});

describe('presets: [monitors, link-previews], by address', () => {
  const catalogue = CrawlerCatalogue.load();

  test.each([
    [
      'UptimeRobot',
      'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
      'monitors',
    ],
    ['TelegramBot', 'TelegramBot (like TwitterBot)', 'link-previews'],
  ])(
    '%s can read a page from its own address, and not from another',
    async (name, userAgent, preset) => {
      const crawler = catalogue.identify(userAgent);
      const list = crawler && catalogue.proofsOf(crawler).list;
      const address = list?.entries[0]?.split('/', 1)[0] ?? '';
      expect([crawler?.name, list?.ranges.has(address)]).toEqual([name, true]);
      // The test sends its requests as a trusted proxy.
      const from = (ip: string) =>
        send(urlOf(`/products/for-${preset}`), {
          headers: { host: 'shop.example', 'user-agent': userAgent, 'x-forwarded-for': ip },
        });
      expect((await from(address)).status).toBe(200);
      expect((await from(HOME_IP)).status).toBe(403);
      const rules = await rulesOf(`path = '/products/for-${preset}'`, 2);
      expect(rules.toSorted()).toEqual([`allow by preset:${preset}`, 'block by everybody']);
    },
  );
});
