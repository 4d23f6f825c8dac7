import { markdown } from '../eval/tables.ts';
import { type Outcome, wrongAnswers } from './fault.ts';

/** How the trial of one fault ended. */
export type Result = { readonly fault: string; readonly done: string } & (
  | { readonly kind: 'tried'; readonly tookS: number; readonly outcome: Outcome }
  /** A fault that could not be tried counts as a claim that does not hold. */
  | { readonly kind: 'broke off'; readonly reason: string }
  | { readonly kind: 'not run'; readonly reason: string }
);

export function holds(result: Result): boolean {
  switch (result.kind) {
    case 'tried':
      return result.outcome.claims.every((claim) => claim.holds);
    case 'broke off':
      return false;
    case 'not run':
      return true;
  }
}

/** A Markdown table with a row for each claim. */
export function claimTable(results: readonly Result[]): string {
  return table(
    ['fault', 'what is done', 'what must hold', 'what was seen', 'held'],
    results.flatMap((result) => claimRows(result)),
  );
}

function claimRows(result: Result): string[][] {
  const { fault, done } = result;
  switch (result.kind) {
    case 'tried':
      return result.outcome.claims.map((claim, i) => [
        ...(i === 0 ? [fault, done] : ['', '']),
        claim.what,
        claim.seen,
        claim.holds ? 'yes' : '**NO**',
      ]);
    case 'broke off':
      return [[fault, done, 'that it can be tried', result.reason, '**NO**']];
    case 'not run':
      return [[fault, done, '', result.reason, 'not run']];
  }
}

/** A Markdown table with the results of the visitors, and the gateway's memory. */
export function figureTable(results: readonly Result[]): string {
  const head = ['fault', 'requests', 'wrong answers', 'slowest ms', 'RSS MiB before', 'after', 's'];
  const rows = results.flatMap((result) => {
    if (result.kind !== 'tried') return [];
    const { traffic, residentMiB } = result.outcome;
    return [
      [
        result.fault,
        traffic.requests.toLocaleString('en'),
        wrongAnswers(traffic).split(' of ')[0] ?? '',
        traffic.slowestMs.toFixed(0),
        residentMiB.before.toFixed(0),
        residentMiB.after.toFixed(0),
        result.tookS.toFixed(0),
      ],
    ];
  });
  return table(head, rows);
}

/** The output of a program can have several lines and bars. */
function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const plain = (cell: string) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '/').trim();
  return markdown(
    head,
    body.map((cells) => cells.map(plain)),
  );
}
