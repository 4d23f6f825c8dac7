/**
 * Measures the time that the gate adds to a query, for statements of analysts, for statements of attackers, and for the
 * longest accepted statement.
 */
import { judgeStatement } from '../analytics/src/query/gate.ts';
import { readCorpus, statementsOf } from '../analytics/src/testing/corpus.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { median } from './measure/rounds.ts';

interface Row {
  readonly name: string;
  readonly statements: number;
  /** The average length of a statement. */
  readonly chars: number;
  /** The mean time of a verdict over all statements, in microseconds: the median of the rounds. */
  readonly meanUs: number;
  /** The time of the slowest statement: the median of the rounds. */
  readonly slowestUs: number;
}

interface Target {
  readonly name: string;
  readonly statements: readonly string[];
}

const MAX_CHARS = 65_536;
/** The number of repetitions between two readings of the clock. */
const REPEATS = 50;

export function bench({ rounds, onProgress }: BenchOptions): Promise<Report> {
  const usefulStatements = statementsOf(readCorpus('useful/*.txt'));
  const clause = " OR path LIKE '%/wp-login.php%'";
  const longest = 'SELECT count() FROM events_distributed WHERE 0'.concat(
    clause.repeat(Math.floor((MAX_CHARS - 46) / clause.length)),
  );
  const targets: readonly Target[] = [
    { name: "analysts' statements", statements: usefulStatements },
    { name: 'hostile statements', statements: statementsOf(readCorpus('hostile/*.txt')) },
    { name: 'the longest statement', statements: [longest] },
  ];
  for (const target of targets) measure(target);
  const rows = targets.map((target): Row => {
    const samples = Array.from({ length: rounds }, (_, round) => {
      onProgress(`round ${round + 1} of ${rounds}: ${target.name}`);
      return measure(target);
    });
    const { name, statements } = target;
    const chars = statements.reduce((sum, sql) => sum + sql.length, 0) / statements.length;
    const meanUs = median(samples.map((sample) => sample.meanUs));
    const slowestUs = median(samples.map((sample) => sample.slowestUs));
    return { name, statements: statements.length, chars, meanUs, slowestUs };
  });
  const head = ['verdict on', 'statements', 'characters', 'mean µs', 'slowest µs'];
  const body = rows.map(({ name, statements, chars, meanUs, slowestUs }) => [
    name,
    String(statements),
    chars.toFixed(0),
    meanUs.toFixed(1),
    slowestUs.toFixed(1),
  ]);
  return Promise.resolve({ rows, table: toTable(head, body), notes: NOTES });
}

const NOTES = [
  `each statement ${REPEATS} times in each round, in one thread, after one round to warm up`,
];

function measure({ statements }: Target): { meanUs: number; slowestUs: number } {
  const times = statements.map((sql) => {
    const start = performance.now();
    for (let each = 0; each < REPEATS; each += 1) judgeStatement(sql);
    return ((performance.now() - start) * 1000) / REPEATS;
  });
  const meanUs = times.reduce((sum, time) => sum + time, 0) / times.length;
  return { meanUs, slowestUs: Math.max(...times) };
}
