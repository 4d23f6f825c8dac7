import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const PACKAGES = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'node_modules',
  '@modelcontextprotocol',
);
const INSPECTOR = join(PACKAGES, 'inspector', 'clients', 'launcher', 'build', 'index.js');
const CONFORMANCE = join(PACKAGES, 'conformance', 'dist', 'index.js');

interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in an empty home folder, because the inspector writes files. */
async function run(folder: string, ...command: readonly string[]): Promise<ProgramEnd> {
  const child = spawn(process.execPath, command, {
    cwd: folder,
    env: {
      ...{ PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' },
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code: child.exitCode, stdout, stderr };
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-mcp-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the command line of the MCP inspector: the exit code, and the JSON object that it prints. */
export function inspect(
  url: string,
  ...options: readonly string[]
): Promise<{ code: number | null; json: unknown }> {
  return withFolder(async (folder) => {
    const always = ['--transport', 'http', '--stored-auth-only', '--format', 'json', '-q'];
    const end = await run(folder, INSPECTOR, '--cli', url, ...always, ...options);
    const output = end.code === 0 ? end.stdout : end.stderr;
    return { code: end.code, json: JSON.parse(output) as unknown };
  });
}

/** The names of the scenarios for servers in the conformance package. */
export function conformanceScenarios(): Promise<string[]> {
  return withFolder(async (folder) => {
    const { stdout } = await run(folder, CONFORMANCE, 'list', '--server');
    return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
  });
}

/** Runs every scenario against one server. Returns the names of the scenarios in which every check succeeded. */
export function conformingScenarios(url: string): Promise<string[]> {
  return withFolder(async (folder) => {
    const results = join(folder, 'results');
    await run(folder, CONFORMANCE, 'server', '--url', url, '--suite', 'all', '-o', results);
    const passedChecks: string[] = [];
    for (const entry of await readdir(results)) {
      const checks = JSON.parse(
        await readFile(join(results, entry, 'checks.json'), 'utf8'),
      ) as readonly { readonly status: string }[];
      // An INFO is a note and not a check. A scenario that has only warnings has checked nothing.
      const judgedChecks = checks.filter(({ status }) => status !== 'INFO');
      const isPass =
        judgedChecks.length > 0 && judgedChecks.every(({ status }) => status === 'SUCCESS');
      const name = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1];
      if (isPass && name !== undefined) passedChecks.push(name);
    }
    return passedChecks.toSorted();
  });
}
