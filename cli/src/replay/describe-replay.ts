import { alignColumns, section, applyStyle, type Style } from '../terminal/layout.ts';
import type { ReplayExample } from '@guard/config/contract/replay';
import { type Group, isChange, type Outcome } from '@guard/replay';
import type { Replay } from './run-replay.ts';

/** The maximum number of groups in the text. `--json` has all groups. */
const MAX_SHOWN = 15;
const MAX_AGENT = 48;

const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  allow: 'allow',
  block: 'block',
  challenge: 'challenge',
  limited: 'limited',
  monitored: 'pass, monitored',
  served: 'in the log',
  unprotected: 'not protected',
  no_site: 'no site (421)',
  elsewhere: 'decided elsewhere',
};

/** A replay as text. `notes` are sentences about the limits of the replay. */
export function describeReplay(replay: Replay, notes: readonly string[]): string {
  const { judged, changed, unreadable, from, to, seconds } = replay;
  if (judged === 0) return 'No requests: there is nothing to judge.';
  const span = from === null || to === null ? '' : `, ${from} to ${to}`;
  const rate = seconds > 0 ? Math.round(judged / seconds) : 0;
  const head = `${applyStyle('bold', `${formatNumber(judged)} requests`)}${span}`;
  const speedText = `read in ${seconds.toFixed(1)} s, ${formatNumber(rate)} a second`;
  return [
    `${head}\n${applyStyle('dim', speedText)}`,
    section('Before and after', describeTransitions(replay)),
    section(
      `What would change: ${formatNumber(changed)} of ${formatNumber(judged)} requests (${formatPercent(changed, judged)})`,
      describeGroups(replay),
    ),
    ...(unreadable === 0 ? [] : [section('Not read', describeFaults(replay))]),
    ...(notes.length === 0 ? [] : [section('What this cannot judge', notes)]),
  ].join('\n\n');
}

function describeTransitions({ transitions, judged }: Replay): string[] {
  const rows = transitions.map(({ before, after, requests }) => [
    `${OUTCOME_TEXTS[before]} → ${OUTCOME_TEXTS[after]}`,
    formatNumber(requests).padStart(12),
    formatPercent(requests, judged).padStart(7),
  ]);
  return alignColumns(rows, (text, _column, row) => {
    const transition = transitions[row];
    return transition && isChange(transition.before, transition.after)
      ? applyStyle(styleOf(transition.after), text)
      : text;
  });
}

function describeGroups({ groups, ungrouped }: Replay): string[] {
  if (groups.length === 0) return ['nothing'];
  const lines = groups.slice(0, MAX_SHOWN).flatMap(describeGroup);
  const hiddenRequests = groups
    .slice(MAX_SHOWN)
    .reduce((sum, { requests }) => sum + requests, ungrouped);
  return hiddenRequests === 0
    ? lines
    : [...lines, `and ${formatNumber(hiddenRequests)} more requests; --json has all groups`];
}

function describeGroup({ before, after, rule, reasons, requests, examples }: Group): string[] {
  const ruleText = rule === '' ? 'no rule' : `rule ${rule}`;
  const cause = reasons.length === 0 ? ruleText : `${ruleText}: ${reasons.join(', ')}`;
  const change = `${OUTCOME_TEXTS[before]} → ${OUTCOME_TEXTS[after]}`;
  const title = `${formatNumber(requests)} × ${applyStyle(styleOf(after), change)}, ${cause}`;
  return [
    title,
    ...alignColumns(examples.map(cellsOf)).map((line) => applyStyle('dim', `    ${line}`)),
  ];
}

function cellsOf({ time, ip, method, url, user_agent }: ReplayExample): string[] {
  const agent = user_agent.length > MAX_AGENT ? `${user_agent.slice(0, MAX_AGENT)}…` : user_agent;
  return [time, ip, method, url, agent === '' ? '(no User-Agent)' : agent];
}

function describeFaults({ faults, unreadable }: Replay): string[] {
  const lines = faults.map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
  const hiddenFaults = unreadable - faults.length;
  return hiddenFaults === 0 ? lines : [...lines, `and ${formatNumber(hiddenFaults)} more lines`];
}

function styleOf(outcome: Outcome): Style {
  switch (outcome) {
    case 'block':
    case 'limited':
    case 'no_site':
      return 'red';
    case 'challenge':
    case 'monitored':
    case 'elsewhere':
      return 'yellow';
    case 'allow':
    case 'served':
    case 'unprotected':
      return 'green';
  }
}

function formatPercent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((part / whole) * 100).toFixed(2)} %`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}
