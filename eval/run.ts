/** npm run eval [-- requests | automation | attack | people, and options] */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runAttack } from './attack/run.ts';
import { commitOf } from './automation/report.ts';
import { runAutomation } from './automation/run.ts';
import { packageVersion } from './automation/versions.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import { httpClients } from './http-clients.ts';
import { runPeople } from './people/run.ts';
import { missTable, rowTable } from './tables.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '20261121' },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
    people: { type: 'string' },
    'plain-runs': { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    dump: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(`npm run eval [-- requests | automation | attack | people] [options]

requests: header sets of browsers, clients and crawlers
  --seed N     seed of the generated browsers and of the split, default 20261121
  --misses     also print every request that was judged wrongly
automation: browsers of drivers and of people, before the challenge
  --runs N     visits of each to the site that challenges every session, default 5
  --people N   the same for a person's browser, default as --runs
  --plain-runs N
               visits of each to the site that challenges only doubtful sessions, default 1
  --only TEXT  only names that contain this text
  --dump DIR   also keep the uploads of the challenges
attack: programs that have read the code, before the default settings and before challenge: always
  --only TEXT  only names that contain this text
people: people with unusual settings, and the tests of people at a desk, with keyboard and mouse
  --runs N     people of each setting, default 5
  --only TEXT  only settings whose browser and name contain this text, without the tests
options of all parts, which run without an argument:
  --json       print JSON, one document for each part
  --record     also write eval/RESULTS.md, RESULTS-automation.md, RESULTS-attack.md, RESULTS-people.md`);
  process.exit(0);
}

const [part, ...others] = positionals;
if (
  others.length > 0 ||
  ![undefined, 'requests', 'automation', 'attack', 'people'].includes(part)
) {
  throw new TypeError(`no such part: ${positionals.join(' ')}`);
}
if (part === undefined || part === 'requests') await runRequests();
if (part === undefined || part === 'automation') {
  const runs = wholeNumber('runs', values.runs, 1);
  const peopleRuns = wholeNumber('people', values.people ?? values.runs, 1);
  const plainRuns = wholeNumber('plain-runs', values['plain-runs'], 0);
  const { only, dump, json, record } = values;
  const met = await runAutomation({ runs, peopleRuns, plainRuns, only, dump, json, record });
  if (!met) process.exitCode = 1;
}
if (part === undefined || part === 'attack') {
  const { only, json, record } = values;
  if (!(await runAttack({ only, json, record }))) process.exitCode = 1;
}
if (part === undefined || part === 'people') {
  const { only, json, record } = values;
  const profiles = wholeNumber('runs', values.runs, 1);
  if (!(await runPeople({ profiles, only, json, record }))) process.exitCode = 1;
  if (only === '') testDesk();
}

function testDesk(): void {
  const { status } = spawnSync(process.execPath, ['scripts/test.ts', '.desk.test.ts'], {
    stdio: 'inherit',
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, GUARD_TEST_DESK: '1' },
  });
  if (status !== 0) process.exitCode = 1;
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw new TypeError(`--${option} is ${least} or more`);
  }
  return value;
}

async function runRequests(): Promise<void> {
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new TypeError('--seed is a whole number');
  const evaluation = await evaluate({
    seed,
    perKind: 160,
    composed: 1_600,
    onProgress(done, total) {
      if (process.stderr.isTTY) {
        process.stderr.write(`\r\x1b[K${done} of ${total} requests judged`);
      }
    },
  });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');

  if (values.json) console.log(JSON.stringify(evaluation, undefined, 2));
  else {
    console.log(rowTable(evaluation.rows));
    if (values.misses) console.log(`\n${missTable(evaluation.misses, Number.POSITIVE_INFINITY)}`);
  }
  if (values.record)
    writeFileSync(join(import.meta.dirname, 'RESULTS.md'), report(evaluation, seed));
  if (evaluation.rows.some(({ met }) => met === false)) process.exitCode = 1;
}

function report({ rows, misses }: Evaluation, seed: number): string {
  const versions = ['header-generator', 'user-agents', 'crawler-user-agents'].map(
    (name) => `${name} ${packageVersion(name)}`,
  );
  return `# How well detection tells people from programs

${rowTable(rows)}

- ${new Date().toISOString().slice(0, 10)}, commit ${commitOf()}, Node ${process.versions.node}, seed ${seed}
- ${versions.join(', ')}; HTTP clients measured ${httpClients().measured}
- \`npm run eval -- --record\` writes this file

## How it is made

The real validator in process judges the requests, with one rule \`{ match: {}, detect: true }\` and a home address.
The seed splits each group into two halves. All requests of a client or crawler are in the same half.

How independent is the second half? Each seed generates new browsers, and only the recorded seed was studied. But the
values and orders of header-generator and user-agents were studied as a whole before the signals were written. One
rule, for the Accept-Encoding of libcurl and of Ruby, was written after \`git\` with Chrome's User-Agent passed in the
held-out half, so this group is no longer independent. The crawler catalogue was extended from all of
crawler-user-agents, and not from one half.

With the header sets that contradict themselves: ${asTheyAre(rows)}.

- **Browsers, generated:** navigations over https from header-generator: Chrome, Firefox, Safari and Edge,
  desktop and mobile, HTTP/1 and HTTP/2.
- **Browsers, composed:** agents of user-agents, which has no headers. The header fields are composed for the family
  and version, and every second request is over plain http. The brand lists follow the same rule as in the validator,
  so this group proves nothing about that signal.
- **Generated, contradicting itself:** sets in which header-generator mixed two clients or learned from a bot:
  HeadlessChrome among the brands, Blink on an iPhone, client hints of Firefox or Safari, hints of another version.
  They do not count as browsers, and have their own row.
- **Agents that forgot their platform:** rows of user-agents whose \`navigator.platform\` is not the one of the system
  in the User-Agent. A request does not contain this value.
- **HTTP clients:** measured with \`node eval/measure/run.ts\`, each over https and plain http. With Chrome's agent:
  the same bytes except the User-Agent.
- **Crawlers:** the User-Agent tokens of each catalogue entry with a published list of addresses.

## Requests that were not judged as the goal requires

${missTable(misses, 40)}
`;
}

/** Returns the numbers for the case that header sets that contradict themselves are also counted as browsers. */
function asTheyAre(rows: Evaluation['rows']): string {
  const sources = [
    ['header-generator', ['browsers, generated', 'generated, contradicting itself']],
    ['user-agents', ['browsers, composed', 'agents that forgot their platform']],
  ] as const;
  return sources
    .map(([source, groups]) => {
      const own = rows.filter(({ group }) => groups.some((name) => name === group));
      const sum = (column: 'challenge' | 'block') =>
        own.reduce((total, { decisions }) => total + (decisions?.[column] ?? 0), 0);
      const requests = own.reduce((total, row) => total + row.requests, 0);
      return `${source} ${requests} requests, ${sum('challenge')} challenged, ${sum('block')} blocked`;
    })
    .join('; ');
}
