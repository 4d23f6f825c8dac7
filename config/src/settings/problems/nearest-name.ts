/** Longest name that is compared. The time to compute a distance grows with the square of the length. */
const MAX_LENGTH = 64;

/**
 * The known name that the user probably wanted to write, or undefined. A letter that is swapped, missing, added or
 * wrong is one difference. About one in three letters may differ. Case does not matter, and `-` is the same as `_`. If
 * no known name is so near, the result is a name that begins with the written name or is its beginning (`username` for
 * `user`), or a name whose beginning has one difference (`ChatGPT-User` for `ChatGTP`).
 */
export function nearestName(name: string, knownNames: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const foldedName = fold(name);
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of knownNames) {
    if (candidate.length > MAX_LENGTH) continue;
    const maxDistance = Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3));
    if (Math.abs(name.length - candidate.length) > maxDistance) continue;
    const distance = editDistance(foldedName, fold(candidate));
    if (distance <= maxDistance && (best === undefined || distance < best.distance)) {
      best = { candidate, distance };
    }
  }
  return (
    best?.candidate ??
    knownNames.find((candidate) => isPrefixOfOther(foldedName, fold(candidate))) ??
    knownNames.find((candidate) => hasSimilarBeginning(foldedName, fold(candidate)))
  );
}

function isPrefixOfOther(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
}

function hasSimilarBeginning(name: string, candidate: string): boolean {
  // Names with different first letters are rarely meant to be the same, and this check skips most candidates.
  if (name.length < 5 || name[0] !== candidate[0]) return false;
  return editDistance(name, candidate.slice(0, name.length)) <= 1;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

/** The optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let rowBeforePrevious: number[] = [];
  let previousRow = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      line[column] = Math.min(
        cell(previousRow, column) + 1,
        cell(line, column - 1) + 1,
        cell(previousRow, column - 1) + (isSame ? 0 : 1),
        isSwapped ? cell(rowBeforePrevious, column - 2) + 1 : Infinity,
      );
    }
    [rowBeforePrevious, previousRow] = [previousRow, line];
  }
  return cell(previousRow, to.length);
}

function cell(line: readonly number[], column: number): number {
  return line[column] ?? Infinity;
}
