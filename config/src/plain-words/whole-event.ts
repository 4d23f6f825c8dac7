import { entries, num, text, texts } from './cells.ts';

export type WholeEvent = ReturnType<typeof wholeEvent>;

/** Whether the visitor passed but the site did not answer. */
export function isUnanswered(event: WholeEvent): boolean {
  return (
    event.action === 'allow' &&
    ['502', '503', '504'].includes(event.text('status_code')) &&
    event.text('origin_status') === '0'
  );
}

/** Makes an event from a row. `cell` returns the value of a column. The statement is from find-events.ts. */
export function wholeEvent(cell: (column: string) => unknown) {
  const readText = (column: string): string => text(cell(column));
  const findings = entries(cell('findings')).map(([name, points]) => ({
    name,
    points: num(points),
  }));
  return {
    atMs: num(cell('created_at_ms')),
    requestId: readText('request_id'),
    ip: readText('ip'),
    userAgent: readText('user_agent'),
    /** The session that came with the request, or else the new session of the visitor. */
    session: readText('session_sent') === '' ? readText('session') : readText('session_sent'),
    path: readText('path'),
    action: readText('action'),
    decision: readText('decision'),
    rule: readText('rule'),
    reasons: texts(cell('block_reasons')),
    /** The findings with their points, highest first. */
    findings: findings.sort((a, b) => b.points - a.points || a.name.localeCompare(b.name)),
    headers: entries(cell('headers')).sort(([a], [b]) => a.localeCompare(b)),
    text: readText,
    yes: (column: string): boolean => cell(column) === true || num(cell(column)) === 1,
  };
}
