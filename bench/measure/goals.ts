import { toTable } from './report.ts';

/**
 * A goal and its measured figure. `measured` is undefined when the program that Guard is compared with is not
 * installed.
 */
export interface Goal {
  readonly name: string;
  readonly measured: number | undefined;
  readonly bound: { readonly atMost: number } | { readonly atLeast: number };
  /** The unit, such as `×`, `ms` or `MiB`. */
  readonly unit: string;
}

export function atMost(
  name: string,
  limit: number,
  measured: number | undefined,
  unit = '×',
): Goal {
  return { name, measured, bound: { atMost: limit }, unit };
}

export function atLeast(
  name: string,
  limit: number,
  measured: number | undefined,
  unit = '×',
): Goal {
  return { name, measured, bound: { atLeast: limit }, unit };
}

export function isMet({ measured, bound }: Goal): boolean | undefined {
  if (measured === undefined) return undefined;
  return 'atMost' in bound ? measured <= bound.atMost : measured >= bound.atLeast;
}

/** A table with one row for each goal: the measured figure, the wanted one, and whether the goal is met. */
export function goalsTable(goals: readonly Goal[]): string {
  const body = goals.map((goal) => {
    const { name, measured, bound, unit } = goal;
    const boundText = 'atMost' in bound ? `≤ ${bound.atMost}` : `≥ ${bound.atLeast}`;
    const digits = Number.isInteger(measured) ? 0 : 2;
    const hasMet = isMet(goal);
    return [
      name,
      measured === undefined ? 'not measured' : `${measured.toFixed(digits)} ${unit}`.trim(),
      `${boundText} ${unit}`.trim(),
      hasMet === undefined ? '–' : hasMet ? 'yes' : 'NO',
    ];
  });
  return toTable(['goal', 'measured', 'wanted', 'met'], body);
}
