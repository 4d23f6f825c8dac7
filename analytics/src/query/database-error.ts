import type { DatabaseAnswer } from '../database/database-client.ts';

/** Maximum number of bytes of an error that are read. */
export const MAX_ERROR_BYTES = 16_384;

const NOT_IMPLEMENTED = 48;
const TYPE_MISMATCH = 53;
const CORRELATED_TEXT = 'Correlated subqueries are not supported with remote tables';

/** Remedies for database errors whose text has no remedy, by error code. */
const REMEDIES: ReadonlyMap<number, string> = new Map([
  [47, 'The columns: SELECT * FROM events_distributed LIMIT 0 FORMAT TSVWithNamesAndTypes.'],
  [53, "Write a time as '2026-11-20 08:00:00', which is UTC, or as toDateTime64('…', 3, 'UTC')."],
  [130, "Look for a value in a list with has: has(block_reasons, 'webdriver')."],
  [141, 'Select a part of the rows by a hash: WHERE cityHash64(request_id) % 10 = 0.'],
  [159, 'Use a smaller range of created_at.'],
  [215, 'Name each column that is not aggregated in GROUP BY, or write GROUP BY ALL.'],
  [241, 'Use a smaller range of created_at, or group by fewer values.'],
  [396, 'Aggregate, add a LIMIT, or use a smaller range of created_at.'],
]);

/** Error codes when the servers of a cluster did not reach each other, with their names. */
export const UNREACHED_ERRORS: ReadonlyMap<number, string> = new Map([
  [100, 'UNKNOWN_PACKET_FROM_SERVER'],
  [102, 'UNEXPECTED_PACKET_FROM_SERVER'],
  [198, 'DNS_ERROR'],
  [209, 'SOCKET_TIMEOUT'],
  [210, 'NETWORK_ERROR'],
  [279, 'ALL_CONNECTION_TRIES_FAILED'],
  [369, 'ALL_REPLICAS_ARE_STALE'],
]);

/** True for the error after a comparison of `created_at` with a text that is no time. */
export function hasOtherType(answer: DatabaseAnswer): boolean {
  return answer.kind === 'answered' && answer.exceptionCode === TYPE_MISMATCH;
}

/**
 * Codes of errors that no row of another organisation can cause: limits, cancelled queries and the account. Syntax
 * errors are missing here, because `formatQuery` can make one from a value. Memory errors are missing too, because a
 * value can cause one.
 */
const INDEPENDENT_OF_ROWS = new Set([158, 159, 202, 394, 396, 516]);
/** The error codes UNKNOWN_SETTING and READONLY. */
const REFUSED_SETTING_CODES = new Set([115, 164]);

/** True for an error that depends perhaps on rows of other organisations, because the bounds of a part can cause it. */
export function mayDependOnOtherRows(answer: DatabaseAnswer): boolean {
  if (answer.kind !== 'answered' || answer.exceptionCode === 0) return false;
  return (
    !INDEPENDENT_OF_ROWS.has(answer.exceptionCode) && !UNREACHED_ERRORS.has(answer.exceptionCode)
  );
}

/** True when the account may not change a setting: accountStatements() did not create it, or the server is old. */
export function isSettingRefused(answer: DatabaseAnswer): boolean {
  return answer.kind === 'answered' && REFUSED_SETTING_CODES.has(answer.exceptionCode);
}

/** The HTTP status for a statement that can succeed later. */
export const BUSY = 503;
const TOO_MANY_QUERIES = 202;
const MEMORY_LIMIT = 241;

/**
 * True when other statements use the slots or the memory, so that this statement can succeed later. A statement above
 * its own memory limit cannot succeed later.
 */
export function isCrowded(answer: DatabaseAnswer): boolean {
  if (answer.kind !== 'answered') return false;
  const { exceptionCode, body } = answer;
  if (exceptionCode === TOO_MANY_QUERIES) return true;
  return exceptionCode === MEMORY_LIMIT && !body.includes('Query memory limit exceeded');
}

/** The error for a full queue of Guard, in the form of a database error (contract 4.3, default). */
export function tooManyWaiting(owner: string): string {
  return `Code: ${TOO_MANY_QUERIES}. DB::Exception: Too many queries of ${owner} are waiting. Try again later. (TOO_MANY_SIMULTANEOUS_QUERIES)`;
}

/** True for the database's error about a subquery that uses columns of the outer query. */
export function isCorrelated(answer: DatabaseAnswer): boolean {
  return (
    answer.kind === 'answered' &&
    answer.exceptionCode === NOT_IMPLEMENTED &&
    answer.body.includes(CORRELATED_TEXT)
  );
}

/**
 * Returns the text of a database error for the caller: code, exception text and error identifier (contract 7.2),
 * without facts about the installation. `secrets` are paths and host names. The remedy comes before the identifier.
 */
export function publicMessage(body: Buffer, secrets: readonly string[]): string {
  let text = body.toString('utf8', 0, MAX_ERROR_BYTES).trim();
  const code = Number(/^Code: (\d+)\./.exec(text)?.[1]);
  const identifier = UNREACHED_ERRORS.get(code);
  // The text of these errors is not used, because it consists mostly of server addresses, in many forms.
  if (identifier !== undefined) {
    return `Code: ${code}. DB::Exception: A server of the analytics database cannot be reached. (${identifier})`;
  }
  for (const secret of secrets) text = text.replaceAll(secret, '…');
  const remedy =
    code === NOT_IMPLEMENTED && text.includes(CORRELATED_TEXT)
      ? 'Use a JOIN, or IN (SELECT …), instead of a subquery that uses columns of the outer query.'
      : REMEDIES.get(code);
  const publicText = text
    .replaceAll(/ \(version [^()]*(?:\([^()]*\)[^()]*)?\)/g, '')
    .replaceAll(/Received from [^ ]+:\d+\. /g, '');
  return remedy === undefined
    ? publicText
    : publicText.replace(/(?: \([A-Z_\d]+\))?$/, ` ${remedy}$&`);
}
