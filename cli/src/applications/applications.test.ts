import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadSettings } from '@guard/config/settings/load';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { runCommand } from '../testing/run-command.ts';
import type { Application } from './application.ts';
import { type ApplicationName, APPLICATIONS } from './applications.ts';

type Page = readonly [head: Readonly<Record<string, string>>, body: string, status?: number];
type Site = Readonly<Record<string, Page>>;

/** Answers of applications, shortened to the lines that Guard reads. Other paths are 404. */
const SITES: Readonly<Record<ApplicationName, Site>> = {
  // WordPress 6.1.9, MediaWiki 1.39.17, DokuWiki 2022-07-31a, Notebook 6.4.12, docker-registry 2.8.2, Apache 2.4.71,
  // Icecast 2.4.4, Redmine 5.0.4 and Radicale 3.1.8, all of them from Debian 12.
  wordpress: {
    '/': [
      { link: '<http://blog.example/wp-json/>; rel="https://api.w.org/"' },
      '<title>Blog</title>',
    ],
  },
  mediawiki: {
    '/': [{ location: 'http://wiki.example/index.php/Main_Page' }, '', 301],
    '/index.php/Main_Page': [
      {},
      '<meta name="ResourceLoaderDynamicStyles" content=""/>\n<meta name="generator" content="MediaWiki 1.39.17"/>',
    ],
  },
  dokuwiki: {
    '/': [
      { 'set-cookie': 'DokuWiki=jd83t3sb; path=/; HttpOnly', location: '/doku.php?id=start' },
      '',
      302,
    ],
  },
  jupyter: {
    '/': [{ location: '/tree?' }, '', 302],
    '/tree': [{ location: '/login?next=%2Ftree' }, '', 302],
    '/login?next=%2Ftree': [
      { 'content-security-policy': "frame-ancestors 'self'; report-uri /api/security/csp-report" },
      '<title>Jupyter Notebook</title>',
    ],
  },
  registry: {
    '/': [{}, ''],
    '/v2/': [{ 'docker-distribution-api-version': 'registry/2.0' }, '{}'],
  },
  apt: {
    '/': [{}, '<ul><li><a href="dists/"> dists/</a></li><li><a href="pool/"> pool/</a></li></ul>'],
  },
  icecast: { '/': [{ server: 'Icecast 2.4.4' }, '<title>Icecast Streaming Media Server</title>'] },
  redmine: {
    '/': [
      { 'set-cookie': 'Redmine=SXVqRm5pTmxGT0VY; path=/; HttpOnly' },
      '<title>Projects</title>\n<meta name="description" content="Redmine" />\n<meta name="keywords" content="issue,bug,tracker" />',
    ],
  },
  radicale: {
    '/': [{ location: '/.web' }, 'Redirected to /.web', 302],
    '/.web': [{ location: '/.web/' }, 'Redirected to /.web/', 302],
    '/.web/': [{}, '<title>Radicale Web Interface</title>'],
  },
  // These answers were not recorded, but were written from the documentation and source of Nextcloud 30, Gitea 1.22,
  // GitLab 17, Home Assistant 2024, Synapse 1.120, Mastodon 4.3, Ghost 5 and Discourse 3.
  nextcloud: {
    '/': [
      { 'set-cookie': '__Host-nc_sameSiteCookielax=true; path=/; secure', location: '/login' },
      '',
      302,
    ],
  },
  gitea: { '/': [{ 'set-cookie': 'i_like_gitea=d2c9c1889c1be19e; Path=/; HttpOnly' }, ''] },
  gitlab: {
    '/': [
      { location: 'http://git.example/users/sign_in', 'x-gitlab-meta': '{"version":"1"}' },
      '',
      302,
    ],
  },
  'home-assistant': {
    '/': [{}, '<link rel="modulepreload" href="/frontend_latest/core.44512df9.js" crossorigin>'],
  },
  matrix: {
    '/': [{}, 'It works'],
    '/_matrix/client/versions': [{}, '{"versions":["r0.6.1","v1.11"],"unstable_features":{}}'],
  },
  mastodon: { '/': [{ server: 'Mastodon' }, "<div id='mastodon'></div>"] },
  ghost: {
    '/': [{}, '<title>Letters</title>'],
    '/robots.txt': [
      {},
      'User-agent: *\nSitemap: http://letters.example/sitemap.xml\nDisallow: /ghost/\n',
    ],
  },
  discourse: {
    '/': [
      {},
      '<meta name="generator" content="Discourse 3.2.0 - https://github.com/discourse/discourse">',
    ],
  },
};
const NAMES = Object.keys(SITES) as ApplicationName[];
const PLAIN: Site = {
  '/': [{}, '<img src="https://elsewhere.example/wp-content/a.png"> WordPress 6.1'],
};

let requestedPaths: string[] = [];
const server = createServer((request, response) => {
  const { host = '' } = request.headers;
  requestedPaths.push(request.url ?? '');
  answer(request, response, host.split('.')[0] ?? '');
});
function answer({ url = '' }: IncomingMessage, response: ServerResponse, name: string): void {
  if (name === 'endless') {
    endless(response);
    return;
  }
  const sites: Readonly<Record<string, Site>> = {
    ...SITES,
    away: { '/': [{ location: 'http://127.0.0.1:1/far' }, '', 302] },
  };
  const all = name === 'catch-all' ? (PLAIN['/'] as Page) : undefined;
  const [head, body, status = 200] = all ?? (sites[name] ?? PLAIN)[url] ?? [{}, 'no', 404];
  response.writeHead(status, { 'content-type': 'text/html', ...head });
  response.end(body);
}
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' });
  const answerNext = () => {
    while (response.write('<meta '.repeat(10_000)));
  };
  response.on('drain', answerNext);
  answerNext();
}

const folder = testFolder();
let origin = '';
let fileCount = 0;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requestedPaths = [];
});

const newFile = () => join(folder, String((fileCount += 1)), 'guard.yaml');

async function init(name: string, ...options: readonly string[]) {
  const file = newFile();
  const site = ['--site', `${name}.example`, '--origin', origin, '--events', 'none'];
  const args = ['--into', file, ...site, '--mode', 'enforce', '--json', ...options];
  const { code, stdout, stderr } = await runCommand('init', ...args);
  const { application, notes } = JSON.parse(stdout || '{}') as {
    application: string;
    notes: string[];
  };
  return { file, code, stderr, application, notes };
}

function settingsOf(file: string) {
  const loaded = loadSettings(file, {});
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems));
  return loaded.settings;
}
const organisationOf = (file: string) => settingsOf(file).organisations[0];
const sitesOf = (file: string) => settingsOf(file).sites;

async function probedPaths(file: string): Promise<string[]> {
  const { stdout } = await runCommand('check', file, '--probe');
  return stdout.split('\n').filter((line) => line.includes('the origin looks like'));
}

describe.each(NAMES)('guard init in front of %s', (name) => {
  const { presets, rules, title }: Application = APPLICATIONS[name];

  test('writes the presets and rules of its application, and guard check reports none of them as missing', async () => {
    const { file, application, notes } = await init(name);
    expect(application).toBe(name);
    expect(notes).toEqual([expect.stringContaining(`the origin looks like ${title} (`)]);
    expect(requestedPaths.length).toBeLessThanOrEqual(5);
    const organisation = organisationOf(file);
    expect(organisation?.presets).toEqual(
      expect.arrayContaining(['monitors', ...presets.map(({ preset }) => preset)]),
    );
    expect(organisation?.rules).toHaveLength(rules.length + 1);
    // Each rule that lets requests pass must have a budget for each address, and no path must be skipped.
    for (const rule of organisation?.rules.slice(0, -1) ?? []) {
      expect(rule, rule.name).toMatchObject({ rate_limit: { by: ['ip'] } });
    }
    expect(sitesOf(file)).toMatchObject([{ skip: [] }]);
    const text = readFileSync(file, 'utf8');
    for (const { why } of [...presets, ...rules]) expect(text).toContain(`: ${why}\n`);
    expect(await probedPaths(file)).toEqual([]);
  });

  test('guard check --probe names each line that is missing', async () => {
    const { file, notes } = await init(name, '--application', 'none');
    expect([requestedPaths, notes]).toEqual([[], []]);
    const text = readFileSync(file, 'utf8').replace(/presets: \[.*\]/, 'presets: [monitors]');
    writeFileSync(file, text);
    const remarks = await probedPaths(file);
    expect(remarks.filter((line) => line.includes(': warning: '))).toHaveLength(
      Math.min(1, presets.length),
    );
    for (const { preset } of presets) expect(remarks.join()).toContain(preset);
    expect(remarks.filter((line) => line.includes(': hint: '))).toHaveLength(rules.length);
    for (const { line } of rules) expect(remarks.join('\n')).toContain(line);
  });
});

test('a rule of the user for the path is accepted in place of the line, whatever its name is', async () => {
  for (const name of NAMES.filter((one) => one !== 'discourse')) {
    const { file } = await init(name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll('- { name: ', '- { name: my '));
    expect(await probedPaths(file)).toEqual([]);
  }
});

test.each(['plain', 'catch-all', 'away', 'endless'])(
  'an unknown application gets the usual settings after at most five requests: %s',
  async (name) => {
    const { file, application, notes } = await init(name);
    expect([application, notes]).toEqual([null, []]);
    expect(requestedPaths.length).toBeLessThanOrEqual(5);
    // A redirect to another host is followed, but the request goes to the same origin.
    if (name === 'away') expect(requestedPaths).toContain('/far');
    expect(organisationOf(file)?.rules).toHaveLength(1);
  },
);

test('an origin on a unix socket is asked, too', async () => {
  const socket = join(folder, 'app.sock');
  const socketServer = createServer((request, response) => {
    answer(request, response, 'ghost');
  });
  await once(socketServer.listen(socket), 'listening');
  onTestFinished(() => void socketServer.close());
  expect(await init('plain', '--origin', `unix:${socket}`)).toMatchObject({ application: 'ghost' });
});

test('a note says when an origin did not answer, and when it was not asked', async () => {
  const failedRun = await init('plain', '--origin', 'http://127.0.0.1:1');
  expect([failedRun.application, failedRun.notes]).toEqual([
    null,
    [
      'http://127.0.0.1:1 cannot be reached: nothing listens there (ECONNREFUSED); start your application, or correct `origin`',
      'no application was recognised without an answer (ECONNREFUSED): --application NAME adds the presets and rules of one',
    ],
  ]);
  const offline = await init('ghost', '--offline');
  expect([requestedPaths, offline.application, offline.notes]).toEqual([
    [],
    null,
    [
      'the origin was not asked which application it is: --application NAME adds the presets and rules of one',
    ],
  ]);
});

test('--application accepts a name of the table, and then guard init asks no origin', async () => {
  const { file, application } = await init('plain', '--application', 'jupyter');
  expect([requestedPaths, application]).toEqual([[], 'jupyter']);
  expect(organisationOf(file)?.rules.map(({ name }) => name)).toEqual(['jupyter api', 'everybody']);
  const unknownApplication = await init('plain', '--application', 'jupiter');
  expect(unknownApplication.code).toBe(2);
  expect(unknownApplication.stderr).toContain('--application: "jupiter" is none of wordpress, ');
  expect(unknownApplication.stderr).toContain('none; did you mean jupyter?');
  expect(existsSync(unknownApplication.file)).toBe(false);
});

test('on a terminal guard init names the application, and the person can refuse it', () => {
  const bin = join(import.meta.dirname, '../../../bin/guard.mjs');
  // The server runs in another process, because a server in this process cannot answer while this process waits.
  const page = `require('http').createServer((q, r) => r.writeHead(200, { server: 'Mastodon' }).end())
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const file = newFile();
  const command = `exec 3< <("${process.execPath}" -e "$PAGE"); pid=$!; read port <&3
    script -qec "'${process.execPath}' '${bin}' init --into '${file}' --origin http://127.0.0.1:$port --events none" /dev/null; kill $pid`;
  const { stdout, status } = spawnSync('bash', ['-c', command], {
    ...{ encoding: 'utf8', input: '\n\n\nnone\n', env: { ...process.env, PAGE: page } },
  });
  expect(stdout).toContain('The origin looks like Mastodon (header server with Mastodon).');
  expect(status).toBe(0);
  expect(organisationOf(file)?.rules).toHaveLength(1);
});
