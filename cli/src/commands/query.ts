import { QUERY } from '@guard/config/contract/limits';
import { escapeUnsafeInLines } from '@guard/config/contract/printable';
import { readAtMost } from '@guard/config/net/read-at-most';
import { createCommand } from '../command-line/command.ts';
import { switchOption } from '../command-line/options.ts';
import { EVENTS_OPTIONS, findGuard } from '../running-guard/find-guard.ts';
import { type EventsAccess, postQuery, refusalOf } from '../running-guard/query-events.ts';
import { messageOf } from '../terminal/faults.ts';
import { reportFailure } from '../terminal/terminal.ts';

/** A statement can wait for other statements and then run for its full time limit. */
const TIMEOUT_MS = 2 * QUERY.maxExecutionS * 1000;

export const query = createCommand({
  name: 'query',
  summary: 'Ask the events of a running Guard in SQL.',
  usage: ["guard query 'SQL' [--config FILE] [--json]", 'guard query - [--config FILE] [--json]'],
  about: `Sends one read-only statement to POST /query and prints the rows: a table on a terminal,
otherwise tab-separated lines without a header. A FORMAT clause of the statement comes first.
With - the statement is read from standard input.`,
  options: {
    ...EVENTS_OPTIONS,
    json: switchOption('one JSON document: `{ "meta": [ … ], "data": [ … ], "rows": … }`'),
  },
  notes: `The table is events_distributed, with the events of the key's own organisation. On a
terminal, control characters in texts of visitors are escaped.`,
  exits: `0 there is an answer, even without rows; 1 the statement or the settings are refused, or
Guard gives no answer; 2 called wrongly.`,
  async run({ values, positionals }) {
    const [operand, more] = positionals;
    if (operand === undefined || more !== undefined) {
      return "give one statement in quotes, as in: guard query 'SELECT count() FROM events_distributed'";
    }
    const guard = findGuard(values);
    if (typeof guard !== 'object') return guard;
    if ('missing' in guard.events) return guard.events.missing;
    const sql = await readStatement(operand);
    if (typeof sql !== 'string') return reportFailure('query', sql.why);
    const hasFormat = HAS_FORMAT.test(sql);
    if (hasFormat && values.json) {
      return 'the statement has a FORMAT clause; leave it out, or --json';
    }
    const isTerminal = process.stdout.isTTY;
    const format = values.json ? 'JSON' : isTerminal ? 'PrettyCompactNoEscapes' : undefined;
    // FORMAT is on its own line, because the last line of the statement can be a comment.
    const statement = hasFormat || format === undefined ? sql : `${sql}\nFORMAT ${format}`;
    return printAnswer(guard.events, statement, values.json || isTerminal);
  },
});

const HAS_FORMAT = /\bformat\s+\w+\s*$/i;

/** The statement without a final semicolon, because only one statement may be sent. */
async function readStatement(operand: string): Promise<string | { readonly why: string }> {
  if (operand !== '-') return withoutSemicolon(operand);
  try {
    const bytes = await readAtMost(process.stdin as AsyncIterable<Buffer>, QUERY.maxBodyBytes);
    return bytes
      ? withoutSemicolon(bytes.toString())
      : { why: `standard input has more than ${QUERY.maxBodyBytes} bytes` };
  } catch (error) {
    return { why: `standard input cannot be read: ${messageOf(error)}` };
  }
}

function withoutSemicolon(sql: string): string {
  return sql.trimEnd().replace(/;$/, '').trimEnd();
}

async function printAnswer(
  access: EventsAccess,
  sql: string,
  isForTerminal: boolean,
): Promise<number> {
  const result = await postQuery(access, sql, TIMEOUT_MS);
  if (result.kind === 'away')
    return reportFailure('query', `${access.url} gives no answer: ${result.why}`);
  const { status, body } = result;
  if (status !== 200) return reportFailure('query', refusalOf(access, status, body.toString()));
  if (body.length > 0)
    process.stdout.write(isForTerminal ? escapeUnsafeInLines(body.toString()) : body);
  return 0;
}
