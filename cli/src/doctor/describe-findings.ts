import { countText, type Style, applyStyle } from '../terminal/layout.ts';
import type { Outcome, State } from './outcome.ts';

export interface Finding extends Outcome {
  readonly check: string;
}

const STATE_TEXTS: Readonly<Record<State, { readonly word: string; readonly style: Style }>> = {
  ok: { word: 'ok', style: 'green' },
  warning: { word: 'warning', style: 'yellow' },
  problem: { word: 'PROBLEM', style: 'red' },
  unchecked: { word: 'not checked', style: 'dim' },
};
const STATE_WIDTH = 13;
const NAME_WIDTH = 18;

/** One line for each check. Below a warning or a problem, the text says why it matters, and what to do. */
export function describeFindings(url: string, findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, state, found, why, advice }) => {
    const { word, style } = STATE_TEXTS[state];
    const details = [why, advice].filter((text) => text !== '');
    return [
      `${applyStyle(style, word.padEnd(STATE_WIDTH))}${check.padEnd(NAME_WIDTH)}${found}`,
      ...details.map((text) => applyStyle('dim', `${' '.repeat(STATE_WIDTH + NAME_WIDTH)}${text}`)),
    ];
  });
  return [applyStyle('bold', url), '', ...lines, '', summaryOf(findings)].join('\n');
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (state: State) => findings.filter((finding) => finding.state === state).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const [good, unchecked] = [count('ok'), count('unchecked')];
  return `${countText(problems, 'problem')}, ${countText(warnings, 'warning')}, ${good} ok, ${unchecked} not checked.`;
}
