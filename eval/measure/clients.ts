import { join } from 'node:path';

/** One program that requests a page. */
export interface Client {
  readonly name: string;
  /** The program that must exist on the PATH. */
  readonly command: string;
  readonly args: (url: string) => readonly string[];
  /** Arguments that print the version in the first line. The default is `--version`. */
  readonly version?: readonly string[];
  readonly http2?: true;
}

const PROGRAMS = join(import.meta.dirname, 'programs');
const REPOSITORY = join(import.meta.dirname, '..', '..');

const python = (name: string, command: string, code: string): Client => ({
  name,
  command,
  args: (url) => ['-c', code, url],
});
const node = (name: string, code: string): Client => ({
  name,
  command: process.execPath,
  args: (url) => ['--input-type=module', '-e', code, url],
});
const perl = (name: string, code: string): Client => ({
  name,
  command: 'perl',
  args: (url) => ['-e', code, url],
  version: ['-e', 'print $^V'],
});
const curl = (name: string, ...args: string[]): Client => ({
  name,
  command: 'curl',
  args: (url) => ['-s', '-o', '/dev/null', ...args, url],
});

/** The lines of a script in which bash writes to a TCP connection. */
const raw = (name: string, lines: string): Client => ({
  name,
  command: 'bash',
  args: (url) => [
    '-c',
    `exec 3<>/dev/tcp/127.0.0.1/${new URL(url).port}; printf '${lines}\\r\\n' >&3; timeout 2 head -n1 <&3`,
  ],
});

const CURL = [
  curl('curl'),
  curl('curl --http1.0', '--http1.0'),
  { ...curl('curl --http2-prior-knowledge', '--http2-prior-knowledge'), http2: true },
  curl('curl --http2 (upgrade)', '--http2'),
  curl('curl --compressed', '--compressed'),
  curl('curl -I', '-I'),
  curl('curl -d', '-d', 'a=b'),
  curl('curl -F', '-F', 'a=b'),
  curl('curl -L -e', '-L', '-e', 'https://www.example/'),
  curl('curl -H Accept: application/json', '-H', 'Accept: application/json'),
  curl('curl without User-Agent', '-A', ''),
] satisfies Client[];

const WGET: Client[] = [
  { name: 'wget', command: 'wget', args: (url) => ['-q', '-O', '/dev/null', url] },
  {
    name: 'wget --compression=auto',
    command: 'wget',
    args: (url) => ['-q', '--compression=auto', '-O', '/dev/null', url],
  },
  { name: 'wget --spider', command: 'wget', args: (url) => ['-q', '--spider', url] },
];

const PYTHON: Client[] = [
  ...['3.6', '3.9', '3.11', '3.13'].map((version) =>
    python(
      `urllib.request of Python ${version}`,
      `python${version}`,
      'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()',
    ),
  ),
  python(
    'urllib2 of Python 2.7',
    'python2.7',
    'import sys, urllib2; urllib2.urlopen(sys.argv[1]).read()',
  ),
  python(
    'urllib of Python 2.7',
    'python2.7',
    'import sys, urllib; urllib.urlopen(sys.argv[1]).read()',
  ),
  python(
    'http.client',
    'python3',
    'import sys, http.client, urllib.parse as p; c = http.client.HTTPConnection(p.urlsplit(sys.argv[1]).netloc); c.request("GET", "/"); c.getresponse().read()',
  ),
  python('requests', 'python3', 'import sys, requests; requests.get(sys.argv[1])'),
  python(
    'requests, POST of JSON',
    'python3',
    'import sys, requests; requests.post(sys.argv[1], json={"a": 1})',
  ),
  python(
    'urllib3',
    'python3',
    'import sys, urllib3; urllib3.PoolManager().request("GET", sys.argv[1])',
  ),
  python('httpx', 'python3', 'import sys, httpx; httpx.get(sys.argv[1])'),
  {
    ...python(
      'httpx over HTTP/2',
      'python3',
      'import sys, httpx; httpx.Client(http1=False, http2=True).get(sys.argv[1])',
    ),
    http2: true,
  },
  python('httplib2', 'python3', 'import sys, httplib2; httplib2.Http().request(sys.argv[1])'),
  python(
    'aiohttp',
    'python3',
    `import sys, asyncio, aiohttp
async def main():
    async with aiohttp.ClientSession() as session:
        async with session.get(sys.argv[1]) as answer:
            await answer.read()
asyncio.run(main())`,
  ),
  python(
    'pip download',
    'python3',
    'import sys, subprocess; subprocess.run([sys.executable, "-m", "pip", "download", "--no-cache-dir", "--retries", "0", "--index-url", sys.argv[1], "--trusted-host", "127.0.0.1", "-d", "/tmp", "nothing"], capture_output=True)',
  ),
];

const undici = JSON.stringify(join(REPOSITORY, 'node_modules/undici/index.js'));
const playwright = JSON.stringify(join(REPOSITORY, 'node_modules/playwright-core/index.mjs'));
const NODE: Client[] = [
  node(
    'node:http get',
    `import http from 'node:http'; http.get(process.argv[1]).on('response', (r) => r.resume());`,
  ),
  node('fetch of Node', `await (await fetch(process.argv[1])).text();`),
  node(
    'fetch of Node, POST of JSON',
    `await (await fetch(process.argv[1], { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).text();`,
  ),
  {
    ...node('fetch of the system Node', `await (await fetch(process.argv[1])).text();`),
    command: '/usr/bin/node',
  },
  node(
    'undici request',
    `import u from ${undici}; await (await u.request(process.argv[1])).body.text();`,
  ),
  node('undici fetch', `import u from ${undici}; await (await u.fetch(process.argv[1])).text();`),
  {
    ...node(
      'node:http2',
      `import h2 from 'node:http2'; const c = h2.connect(process.argv[1]); c.request().on('end', () => c.close()).resume().end();`,
    ),
    http2: true,
  },
  node(
    'Playwright APIRequestContext',
    `import { request } from ${playwright}; const c = await request.newContext(); await c.get(process.argv[1]); await c.dispose();`,
  ),
  {
    name: 'npm view',
    command: 'npm',
    args: (url) => ['view', 'nothing', '--registry', url, '--fetch-retries=0'],
  },
];

const PERL: Client[] = [
  perl('LWP::UserAgent', 'use LWP::UserAgent; LWP::UserAgent->new->get($ARGV[0])'),
  perl('LWP::Simple', 'use LWP::Simple; get($ARGV[0])'),
  perl('HTTP::Tiny', 'use HTTP::Tiny; HTTP::Tiny->new->get($ARGV[0])'),
  perl('Mojo::UserAgent', 'use Mojo::UserAgent; Mojo::UserAgent->new->get($ARGV[0])'),
];

const JVM_AND_GO: Client[] = [
  {
    name: 'java.net.http',
    command: 'java',
    args: (url) => [join(PROGRAMS, 'JavaHttpClient.java'), url, '1'],
  },
  {
    name: 'java.net.http, HTTP/2 upgrade',
    command: 'java',
    args: (url) => [join(PROGRAMS, 'JavaHttpClient.java'), url, '2'],
  },
  {
    name: 'java.net.HttpURLConnection',
    command: 'java',
    args: (url) => [join(PROGRAMS, 'JavaUrlConnection.java'), url],
  },
  {
    name: 'net/http of Go',
    command: 'go',
    args: (url) => ['run', join(PROGRAMS, 'client.go'), url],
    version: ['version'],
  },
];

const PROGRAMS_OF_THE_SYSTEM: Client[] = [
  { name: 'git ls-remote', command: 'git', args: (url) => ['ls-remote', url] },
  {
    name: 'apt',
    command: '/usr/lib/apt/apt-helper',
    args: (url) => ['download-file', `${url}/x`, '/tmp/guard-measured'],
    version: ['--version'],
  },
  { name: 'lynx -dump', command: 'lynx', args: (url) => ['-dump', url] },
  { name: 'w3m -dump', command: 'w3m', args: (url) => ['-dump', url], version: ['-version'] },
  { name: 'links -dump', command: 'links', args: (url) => ['-dump', url], version: ['-version'] },
  { name: 'elinks -dump', command: 'elinks', args: (url) => ['-dump', url], version: ['-version'] },
  {
    name: 'aria2c',
    command: 'aria2c',
    args: (url) => ['-q', '-d', '/tmp', '-o', 'guard-measured', '--allow-overwrite=true', url],
  },
  { name: 'axel', command: 'axel', args: (url) => ['-q', '-o', '/tmp/guard-measured-axel', url] },
  {
    name: 'busybox wget',
    command: 'busybox',
    args: (url) => ['wget', '-q', '-O', '/dev/null', url],
    version: ['--help'],
  },
  {
    name: 'Net::HTTP of Ruby',
    command: 'ruby3.1',
    args: (url) => ['-rnet/http', '-e', 'Net::HTTP.get(URI(ARGV[0]))', url],
  },
  {
    name: 'open-uri of Ruby',
    command: 'ruby3.1',
    args: (url) => ['-ropen-uri', '-e', 'URI.open(ARGV[0]).read', url],
  },
  {
    name: 'http package of Tcl',
    command: 'tclsh',
    args: (url) => [join(PROGRAMS, 'client.tcl'), url],
    version: [join(PROGRAMS, 'client.tcl')],
  },
  {
    name: 'kubectl get',
    command: 'kubectl',
    args: (url) => ['--server', url, '--request-timeout=2s', 'get', 'pods'],
    version: ['version', '--client'],
  },
];

const RAW: Client[] = [
  raw('a socket: HTTP/1.0 and nothing else', 'GET / HTTP/1.0\\r\\n'),
  raw('a socket: Host only', 'GET / HTTP/1.1\\r\\nHost: shop.example\\r\\n'),
  raw('a socket: Host and Accept', 'GET / HTTP/1.1\\r\\nHost: shop.example\\r\\nAccept: */*\\r\\n'),
];

const CHROMIUM = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-proxy-server',
  '--user-data-dir=/tmp/guard-measured-profile',
];
const BROWSERS: Client[] = [
  {
    name: 'Chromium --headless',
    command: 'chromium',
    args: (url) => [...CHROMIUM, '--headless', '--dump-dom', url],
  },
  {
    name: 'Chromium --headless, driven by Playwright',
    command: process.execPath,
    args: (url) => [
      '--input-type=module',
      '-e',
      `import { chromium } from ${playwright}; const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-proxy-server'] }); const p = await b.newPage(); await p.goto(process.argv[1]); await b.close();`,
      url,
    ],
  },
];

/** All clients. The run skips the clients that the machine lacks, and prints their names. */
export const clients: readonly Client[] = [
  ...CURL,
  ...WGET,
  ...PYTHON,
  ...NODE,
  ...PERL,
  ...JVM_AND_GO,
  ...PROGRAMS_OF_THE_SYSTEM,
  ...RAW,
  ...BROWSERS,
];
