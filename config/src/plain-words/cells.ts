/** Cells of rows that the database sent as JSON. */

/** A cell as a number. 64-bit integers may come as text. */
export function num(cell: unknown): number {
  const value = Number(cell);
  return Number.isFinite(value) ? value : 0;
}

/** A cell as text. */
export function text(cell: unknown): string {
  return typeof cell === 'string' ? cell : typeof cell === 'number' ? String(cell) : '';
}

/** A cell as a list of texts. */
export function texts(cell: unknown): string[] {
  return Array.isArray(cell) ? cell.map(text) : [];
}

/** A cell as a list of numbers. */
export function nums(cell: unknown): number[] {
  return Array.isArray(cell) ? cell.map(num) : [];
}

/** A cell of type Map. */
export function entries(cell: unknown): [string, string][] {
  if (typeof cell !== 'object' || cell === null) return [];
  return Object.entries(cell).map(([name, value]) => [name, text(value)]);
}
