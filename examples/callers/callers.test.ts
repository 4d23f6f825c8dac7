import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProgram } from '../../test/kit/examples/example-program.ts';
import {
  BEHAVIOURS,
  type Behaviour,
  type FakeValidator,
  pathOf,
  startFakeValidator,
} from '../../test/kit/examples/example-validator.ts';
import { poll } from '../../test/kit/http.ts';
import { hasCurl, hasGo, hasPhp, hasPython } from '../../test/kit/tools.ts';

const SECRET_KEY = 'sk_callers_2f7d0c9b8a6e';
const SITE = 'https://shop.example';
const IP = '203.0.113.7';
/** Both texts contain characters that JSON has to escape. */
const PATH = '/login?next=%2F&q="\\';
const AGENT = 'Odd/1.0 ("\\")';
const PARALLEL_RUNS = 3;
const TEST_MS = 60_000;

const folder = 'examples/callers';
let buildFolder: string;
let fake: FakeValidator;

beforeAll(async () => {
  buildFolder = await mkdtemp(join(tmpdir(), 'guard-callers-'));
  fake = await startFakeValidator();
  if (!hasGo) return;
  const args = ['build', '-o', join(buildFolder, 'caller'), `${folder}/caller.go`];
  const { code, stderr } = await startProgram('go', args).ended();
  expect([code, stderr]).toEqual([0, '']);
});
afterAll(async () => {
  await fake.close();
  await rm(buildFolder, { recursive: true, force: true });
});

const callers = [
  { name: 'caller.mjs', isThere: true, command: () => [process.execPath, `${folder}/caller.mjs`] },
  { name: 'caller.py', isThere: hasPython, command: () => ['python3', `${folder}/caller.py`] },
  { name: 'caller.php', isThere: hasPhp, command: () => ['php', `${folder}/caller.php`] },
  { name: 'caller.sh', isThere: hasCurl, command: () => ['sh', `${folder}/caller.sh`] },
  { name: 'caller.go', isThere: hasGo, command: () => [join(buildFolder, 'caller')] },
];

async function run(command: readonly string[], path: string, guardUrl = fake.url): Promise<string> {
  const [program = '', ...args] = command;
  const env = { GUARD_VALIDATE_URL: guardUrl, GUARD_SECRET_KEY: SECRET_KEY };
  const { code, stdout, stderr } = await startProgram(
    program,
    [...args, SITE + path, IP, AGENT],
    env,
  ).ended();
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

function expectedLine({ decision, enforced }: Behaviour): string {
  return enforced.kind === 'passes'
    ? `decision=${decision} action=pass\n`
    : `decision=${decision} action=answer status=${enforced.status}\n`;
}

describe.each(callers)('$name', ({ isThere, command }) => {
  test.skipIf(!isThere)('contract 2.1, 5: describes the request and sends its key', async () => {
    const before = fake.asked.length;
    const ask = async () => {
      await run(command(), PATH);
      return fake.asked.slice(before);
    };
    // On a busy machine an answer can be too late for a caller. Then the test runs the caller again.
    const [asked] = await poll(ask, (questions) => questions.length > 0);
    expect(asked).toEqual({
      key: SECRET_KEY,
      question: {
        url: SITE + PATH,
        ip: IP,
        method: 'GET',
        headers: { 'user-agent': AGENT },
      },
    });
  });

  test.skipIf(!isThere)(
    'contract 4.1, 7.1: follows the answer, fails open without an answer, and fails closed on any 4xx',
    async () => {
      const outputs: Record<string, string> = {};
      const remaining = [...BEHAVIOURS];
      const askInTurn = async () => {
        for (let next = remaining.shift(); next; next = remaining.shift()) {
          const { name } = next;
          const line = expectedLine(next);
          const ask = () => run(command(), pathOf(name));
          outputs[name] = await poll(ask, (printed) => printed === line);
        }
      };
      await Promise.all(Array.from({ length: PARALLEL_RUNS }, askInTurn));
      expect(outputs).toEqual(Object.fromEntries(BEHAVIOURS.map((b) => [b.name, expectedLine(b)])));
    },
    TEST_MS,
  );

  test.skipIf(!isThere)('contract 7.1: fails open when no validator listens', async () => {
    // No program listens on port 1 of a test machine.
    const closedUrl = 'http://127.0.0.1:1/validate';
    expect(await run(command(), '/', closedUrl)).toBe('decision=none action=pass\n');
  });
});

test('the command of the README asks a real Guard with every caller', async () => {
  const start = `${folder}/start.mjs`;
  const { code, stdout } = await startProgram(process.execPath, [start]).ended();
  expect(code).toBe(0);
  for (const { name, isThere } of callers) {
    const line = stdout.split('\n').find((printed) => printed.startsWith(name));
    // On a busy machine a caller sometimes gets no answer in time. Then it prints that the request passes.
    const answeredLine = /decision=(redirect action=answer status=403|none action=pass)$/;
    expect(line).toMatch(isThere ? answeredLine : /skipped: there is no/);
  }
  expect(stdout).toContain('decision=redirect action=answer status=403');
});
