/** Shows a verdict with words and a sign, so that it does not depend on colour. */

interface Look {
  readonly sign: string;
  readonly word: string;
  /** Returns the colour of the text, as CSS. */
  readonly color: string;
}

const LOOKS: Readonly<Partial<Record<string, Look>>> = {
  allow: { sign: '✓', word: 'allowed', color: 'var(--good-text)' },
  challenge: { sign: '?', word: 'challenged', color: 'var(--warn-text)' },
  block: { sign: '✕', word: 'blocked', color: 'var(--bad-text)' },
  limited: { sign: '!', word: 'limited', color: 'var(--limited-text)' },
  none: { sign: '–', word: 'not judged', color: 'inherit' },
};

export function verdictWord(verdict: string): string {
  return LOOKS[verdict]?.word ?? verdict;
}

export function Verdict({ verdict }: { readonly verdict: string }) {
  return (
    <span class="verdict" style={{ color: LOOKS[verdict]?.color }}>
      <span aria-hidden="true">{LOOKS[verdict]?.sign ?? '·'}</span> {verdictWord(verdict)}
    </span>
  );
}
