/** Cells of rows that the database sent as JSON. A 64-bit integer can come as text. */

export function num(cell: unknown): number {
  const value = Number(cell);
  return Number.isFinite(value) ? value : 0;
}

export function text(cell: unknown): string {
  return typeof cell === 'string' ? cell : typeof cell === 'number' ? String(cell) : '';
}

export function texts(cell: unknown): string[] {
  return Array.isArray(cell) ? cell.map(text) : [];
}

export function nums(cell: unknown): number[] {
  return Array.isArray(cell) ? cell.map(num) : [];
}

/** A cell of type Map. */
export function entries(cell: unknown): [string, string][] {
  if (typeof cell !== 'object' || cell === null) return [];
  return Object.entries(cell).map(([name, value]) => [name, text(value)]);
}
