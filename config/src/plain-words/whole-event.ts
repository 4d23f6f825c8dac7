import { entries, num, text, texts } from './cells.ts';

/** One event with all its columns. */
export type WholeEvent = ReturnType<typeof wholeEvent>;

/** The visitor passed, but the site did not answer. */
export function isUnanswered(event: WholeEvent): boolean {
  return (
    event.action === 'allow' &&
    ['502', '503', '504'].includes(event.text('status_code')) &&
    event.text('origin_status') === '0'
  );
}

/** Converts a row of a statement of find-events.ts. `cell` returns the value of a column. */
export function wholeEvent(cell: (column: string) => unknown) {
  const read = (column: string): string => text(cell(column));
  const findings = entries(cell('findings')).map(([name, points]) => ({
    name,
    points: num(points),
  }));
  return {
    atMs: num(cell('created_at_ms')),
    requestId: read('request_id'),
    ip: read('ip'),
    userAgent: read('user_agent'),
    /** The session of the request, or the new session of the visitor. */
    session: read('session_sent') === '' ? read('session') : read('session_sent'),
    path: read('path'),
    action: read('action'),
    decision: read('decision'),
    rule: read('rule'),
    reasons: texts(cell('block_reasons')),
    /** Points of each finding, highest first. */
    findings: findings.sort((a, b) => b.points - a.points || a.name.localeCompare(b.name)),
    headers: entries(cell('headers')).sort(([a], [b]) => a.localeCompare(b)),
    text: read,
    yes: (column: string): boolean => cell(column) === true || num(cell(column)) === 1,
  };
}
