import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

/** The packages that each package may import: the dependency rule of ARCHITECTURE.md. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  config: [],
  gateway: ['config'],
  validator: ['config'],
  analytics: ['config'],
  mcp: ['config'],
  dashboard: ['config'],
  replay: ['config', 'gateway', 'validator'],
  server: ['config', 'gateway', 'validator', 'analytics', 'mcp', 'dashboard', 'replay'],
  cli: ['config', 'gateway', 'validator', 'analytics', 'replay', 'server', 'example-shop'],
  examples: [],
};

/**
 * The rooms of a package are the entries of its `src/`, from left to right. The key `package/room` lists the rooms
 * inside a room. A file imports only from its own room and from rooms to the left. `index.ts` is to the right of all
 * rooms. Folders with the name `testing/` may import from all rooms.
 */
// prettier-ignore
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  config: ['contract', 'net', 'time', 'matching', 'catalogue', 'settings', 'bundles', 'plain-words'],
  'config/settings': [
    'problems', 'values', 'lists', 'reading', 'sections', 'schema.ts', 'presets', 'derived', 'checks', 'read-by-entry.ts', 'load.ts', 'keys',
  ],
  validator: [
    'proofs', 'request', 'rules', 'session', 'verdict', 'signals', 'pages', 'challenge',
    'policy', 'response', 'decision', 'script', 'explain', 'http',
  ],
  'validator/verdict': [
    'counts', 'documents.ts', 'pressure', 'free-pages', 'passes', 'traps.ts', 'verdict.ts', 'strengths.ts', 'weigh.ts', 'decide.ts',
  ],
  gateway: [
    'base', 'message', 'origin', 'listen', 'http1', 'http2', 'tls', 'arrive', 'judge',
    'forward', 'follow', 'forward-auth', 'ext-authz', 'handle.ts',
  ],
  server: [
    'metrics', 'process', 'refresh', 'crowdsec', 'events', 'tracing', 'listeners', 'control', 'admin', 'store',
    'certificates', 'decisions', 'alerts', 'validators', 'deployment', 'reload', 'workers', 'start-guard.ts',
  ],
  cli: [
    'terminal', 'command-line', 'files', 'exchange', 'applications', 'running-guard', 'crawlers', 'agents', 'keys', 'check',
    'init', 'decisions', 'explain', 'export', 'forget', 'replay', 'doctor', 'top', 'why', 'demo', 'start', 'completion',
    'commands', 'main.ts',
  ],
  analytics: ['base', 'events', 'database', 'query', 'clickhouse-http'],
  mcp: ['edge', 'docs', 'tools'],
  dashboard: ['page', 'sign-in', 'data'],
  replay: ['logged', 'judge', 'change', 'process'],
};

const MAX_LINES = 300;

const root = join(import.meta.dirname, '..');

interface Source {
  readonly file: string;
  readonly workspace: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources: Source[] = globSync(
  '{config,gateway,validator,analytics,mcp,dashboard,replay,server,cli,examples}/**/*.{ts,tsx}',
  {
    cwd: root,
    exclude: (path) => path.includes('node_modules') || path.includes(`${sep}dist`),
  },
).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const file = path.split(sep).join('/');
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((m) => m[1] ?? '');
  return { file, workspace: file.split('/')[0] ?? '', text, imports };
});
const code = sources.filter(({ file }) => !file.endsWith('.test.ts'));

test('the scan finds the code', () => {
  expect(code.length).toBeGreaterThan(80);
  for (const workspace of Object.keys(MAY_IMPORT)) {
    expect(
      code.some((source) => source.workspace === workspace),
      workspace,
    ).toBe(true);
  }
});

test('packages import each other only through config, and in server', () => {
  const broken = sources.flatMap((source) =>
    source.imports
      .filter((specifier) => !mayImport(source, specifier))
      .map((specifier) => `${source.file} imports ${specifier}`),
  );
  expect(broken).toEqual([]);
});

test.each(Object.entries(ROOMS))(
  'in %s every file imports from its own room or from rooms to the left',
  (name, rooms) => {
    const order = [...rooms, 'index.ts'];
    const folder = `${name.replace(/^[^/]+/, '$&/src')}/`;
    const roomOf = (file: string) =>
      file.startsWith(folder) ? order.indexOf(file.slice(folder.length).split('/')[0] ?? '') : -1;
    const files = code.filter(({ file }) => file.startsWith(folder) && !file.includes('/testing/'));
    expect(files.length).toBeGreaterThan(8);
    expect(files.filter(({ file }) => roomOf(file) === -1)).toEqual([]);
    const broken = files.flatMap(({ file, imports }) =>
      imports
        .map((specifier) => join(dirname(file), specifier).split(sep).join('/'))
        .filter((target) => roomOf(target) > roomOf(file))
        .map((target) => `${file} looks right, at ${target}`),
    );
    expect(broken).toEqual([]);
  },
);

test('no file imports itself, directly or through other files', () => {
  const targets = new Map(
    code.map(({ file, imports }) => [
      file,
      imports.map((specifier) => join(dirname(file), specifier).split(sep).join('/')),
    ]),
  );
  // A file without imports in the map is removed, again and again. Files that remain import each other in a circle, or
  // import such a file.
  for (let before = Infinity; targets.size < before;) {
    before = targets.size;
    for (const [file, imports] of targets) {
      if (!imports.some((target) => targets.has(target))) targets.delete(file);
    }
  }
  expect([...targets.keys()]).toEqual([]);
});

test('the contract of page and server imports neither the page nor the server', () => {
  const contract = code.filter(({ file }) => file.startsWith('validator/page-contract/'));
  expect(contract.length).toBeGreaterThan(4);
  const outside = contract.flatMap(({ imports }) => imports.filter((one) => one.startsWith('../')));
  expect(outside).toEqual([]);
});

test('a file is short, and its name is in kebab case and has a meaning', () => {
  const long = code.filter(({ text }) => text.split('\n').length > MAX_LINES);
  expect(long.map(({ file }) => file)).toEqual([]);
  const names = sources.map(({ file }) => file.split('/').at(-1) ?? '');
  expect(names.filter((name) => !/^[a-z0-9-]+(\.[a-z]+)*\.tsx?$/.test(name))).toEqual([]);
  const empty = /^(utils?|helpers?|common|types|misc|manager)\.ts$/;
  expect(names.filter((name) => empty.test(name))).toEqual([]);
});

test('the project names no development machine', () => {
  const here = sources.filter(({ text }) => text.includes(root + sep));
  expect(here.map(({ file }) => file)).toEqual([]);
});

/**
 * The table says which other packages a file may import. Relative paths stay in the package; tests may also import from
 * test/.
 */
function mayImport({ file, workspace }: Source, specifier: string): boolean {
  const ours = /^@guard\/([a-z-]+)/.exec(specifier)?.[1];
  if (ours !== undefined) return ours === workspace || !!MAY_IMPORT[workspace]?.includes(ours);
  if (!specifier.startsWith('.')) return true;
  const [target] = relative(root, join(root, file, '..', specifier)).split(sep);
  return target === workspace || (target === 'test' && /\.test\.ts$|\/testing\//.test(file));
}
