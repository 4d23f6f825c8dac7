import { NO_KNOWN_FALSE_POSITIVES } from '@guard/config/plain-words/advice';
import { pointsText } from '@guard/config/plain-words/what-happened';
import { counted, section, styled } from '../terminal/layout.ts';
import { printable } from '../terminal/printable.ts';
import type { ToldEvent, LetIn } from './told-event.ts';
import type { InAll } from './look-up.ts';

/** Most reasons in a summary. */
const MOST_REASONS = 5;

/** One event in plain words. `way` selects the change of guard.yaml that is written out. */
export function describeTold(event: ToldEvent, way: string | undefined): string {
  const { time, request, address, user_agent, session, what_happened, others, advice } = event;
  const facts = [
    `${timeOf(time)}  ${request}`,
    `address ${address}`,
    `agent   ${user_agent === '' ? '(none)' : user_agent}`,
    ...(session === '' ? [] : [`session ${session}`]),
    `request ${event.request_id}${event.reference === '' ? '' : `, reference ${event.reference}`}`,
  ];
  return [
    styled('bold', printable(what_happened)),
    lines(facts).join('\n'),
    section('What was found', lines(foundOf(event))),
    section('The rule that decided', lines(ruleOf(event))),
    section(
      'Who else can have this',
      lines(
        others.length === 0
          ? [NO_KNOWN_FALSE_POSITIVES]
          : others.map(({ name, words }) => `${name}: ${words}`),
      ),
    ),
    section('What the visitor can do', lines(advice)),
    ...letInOf(event, way),
  ].join('\n\n');
}

/** Several events, one line each. */
export function describeOthers(title: string, told: readonly ToldEvent[]): string {
  const each = told.map(
    ({ time, action, request, rule, found, request_id }) =>
      `${timeOf(time)}  ${action.padEnd(9)}  ${[request, rule?.name ?? '', ...found.map(({ name }) => name), request_id].filter((part) => part !== '').join('  ')}`,
  );
  return section(title, lines(each));
}

/** All events of a visitor in a few lines. */
export function describeInAll(
  title: string,
  { requests, actions, firstMs, lastMs, reasons }: InAll,
): string {
  const split = Object.entries(actions).filter(([, count]) => count > 0);
  const most = reasons.slice(0, MOST_REASONS).map((one) => `${one.name} ${one.requests}`);
  return section(
    title,
    lines([
      `${counted(requests, 'request')} from ${timeOf(new Date(firstMs).toISOString())} to ${timeOf(new Date(lastMs).toISOString())}`,
      split.map(([action, count]) => `${action} ${count}`).join(', '),
      ...(most.length === 0 ? [] : [`reasons: ${most.join(', ')}`]),
    ]),
  );
}

function foundOf({ found }: ToldEvent): string[] {
  if (found.length === 0) return ['Nothing.'];
  return found.map(({ name, points, counted: isCounted, meaning }) => {
    const weight = points === undefined ? 'decided' : pointsText(points);
    return `${name} (${weight}${isCounted ? '' : ', not counted'}): ${meaning}`;
  });
}

function ruleOf({ rule, same_settings }: ToldEvent): string[] {
  if (rule === null) return ['No rule matched.'];
  const words =
    rule.words === '' ? '. Give --config to see what it does and its line.' : rule.words;
  return [
    `${rule.name}${words}`,
    ...(rule.monitor ? ['It was in monitor mode.'] : []),
    ...(same_settings === false ? ['Other settings than those of this file decided.'] : []),
  ];
}

function letInOf({ let_in, let_in_limit, action }: ToldEvent, way: string | undefined): string[] {
  if (action === 'allow') return [];
  const chosen = let_in.find(({ kind }) => way === undefined || kind === way);
  const title = 'Let this visitor in';
  if (chosen === undefined) {
    const why =
      let_in_limit !== ''
        ? let_in_limit
        : let_in.length === 0
          ? 'Give --config to see what to write into guard.yaml.'
          : `There is no ${way ?? ''} of this request to let in.`;
    return [section(title, lines([why]))];
  }
  const rest = let_in.filter((one) => one !== chosen);
  return [
    section(title, [
      ...lines([
        ...(let_in_limit === '' ? [] : [let_in_limit]),
        `${chosen.words} ${chosen.value}. ${chosen.where}`,
      ]),
      '',
      // For pasting: a cut line would be invalid YAML.
      ...chosen.yaml
        .trimEnd()
        .split('\n')
        .map((line) => printable(line, Infinity)),
      '',
      ...(chosen.command === ''
        ? []
        : lines([
            'Or for a day, in all instances and without a change of guard.yaml:',
            '',
            chosen.command,
          ]).concat('')),
      ...lines(otherWays(rest)),
    ]),
  ];
}

/** Each kind once, because a value after it selects the entry. */
function otherWays(rest: readonly LetIn[]): string[] {
  const kinds = new Map<string, string>();
  for (const { kind, value } of rest)
    kinds.set(kind, [kinds.get(kind), value].filter(Boolean).join(', '));
  return [...kinds].map(([kind, values]) => `or --let-in ${kind}: ${printable(values, 100)}`);
}

/** The lines include texts of visitors, which must not control the terminal. */
function lines(texts: readonly string[]): string[] {
  return texts.map((text) => printable(text));
}

/** In UTC, like the events. */
function timeOf(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
