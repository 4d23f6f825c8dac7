/** Shows a verdict with words and a sign, so that it does not depend on colour. */

const SIGNS: Readonly<Partial<Record<string, string>>> = {
  allow: '✓',
  challenge: '?',
  block: '✕',
  limited: '!',
  none: '–',
};

const WORDS: Readonly<Partial<Record<string, string>>> = {
  allow: 'allowed',
  challenge: 'challenged',
  block: 'blocked',
  limited: 'limited',
  none: 'not judged',
};

export function verdictWord(verdict: string): string {
  return WORDS[verdict] ?? verdict;
}

export function Verdict({ verdict }: { readonly verdict: string }) {
  return (
    <span class={`verdict v-${verdict}`}>
      <span aria-hidden="true">{SIGNS[verdict] ?? '·'}</span> {verdictWord(verdict)}
    </span>
  );
}
