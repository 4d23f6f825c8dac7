import { markdown } from '../tables.ts';

/** The results of the people with one setting. */
export interface Row {
  readonly engine: string;
  readonly setting: string;
  /** The number of people whose browser opened. */
  readonly profiles: number;
  readonly admitted: number;
  /** The number of people who got more challenges than pages. */
  readonly askedAgain: number;
  readonly blocked: number;
  /** For each page that was reached, the milliseconds from its first request until Guard allowed it. */
  readonly ms: readonly number[];
  readonly reasons: readonly string[];
  readonly broke: readonly string[];
}

/** The share of people that must arrive. */
const ADMITTED = 0.99;

export function totalsOf(rows: readonly Row[]) {
  const sum = (columnOf: (row: Row) => number) =>
    rows.reduce((total, row) => total + columnOf(row), 0);
  const people = sum(({ profiles }) => profiles);
  const admitted = sum((row) => row.admitted);
  const blocked = sum((row) => row.blocked);
  const met = people > 0 && blocked === 0 && admitted / people >= ADMITTED;
  return { people, admitted, blocked, met };
}

export function peopleTable(rows: readonly Row[]): string {
  return markdown(
    [
      'browser',
      'setting',
      'people',
      'admitted',
      'asked again',
      'blocked',
      'median ms',
      'reasons',
      '',
    ],
    rows.map((row) => [
      row.engine,
      row.setting,
      String(row.profiles),
      String(row.admitted),
      String(row.askedAgain),
      String(row.blocked),
      row.ms.length === 0 ? '–' : String(median(row.ms)),
      [...row.reasons, ...row.broke.map((why) => `broke: ${why}`)].join(', ') || 'none',
      row.admitted === row.profiles && row.blocked === 0 && row.profiles > 0 ? 'met' : 'MISSED',
    ]),
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Returns the text of the file that `--record` writes. */
export function peopleReport(
  rows: readonly Row[],
  { commit, minutes, versions }: { commit: string; minutes: number; versions: string },
): string {
  const { people, admitted, blocked, met } = totalsOf(rows);
  return `# People with unusual settings

${peopleTable(rows)}

- ${rows.length} settings, ${people} people: ${admitted} admitted, ${blocked} blocked. Goal: 0 blocked, 99 % admitted: ${met ? 'met' : 'MISSED'}
- Median time to the page: ${median(rows.flatMap(({ ms }) => ms))} ms
- ${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}, ${minutes} minutes
- ${versions}
- \`node eval/run.ts people --runs N --record\` writes this file; N people for each setting, and about 10 s for each

## How it is made

Guard as users run it, in front of a site that records its visitors, with \`detect: true, challenge: always\`. Each
person has a browser with a window on a virtual screen, an empty profile, and no driver. The address is on the command
line. One browser runs at a time. **Admitted** comes from the site: the person reached every wanted page within 30 s.
**Asked again** and **blocked** come from Guard's events. The time is from the first request for a page until Guard
allowed it.

This eval makes the extensions, for Chromium: scripts in the page's own world at the start of every document, which
wrap or replace the same functions as real extensions. One extension also changes a header. A slow line delays each
piece of an answer by 300 ms. A lossy line cuts each third connection. Whether each setting took effect is not checked
one by one.
`;
}
