import { NO_KNOWN_FALSE_POSITIVES } from '@guard/config/plain-words/advice';
import { pointsText } from '@guard/config/plain-words/what-happened';
import { countText, section, applyStyle } from '../terminal/layout.ts';
import { toPrintable } from '../terminal/printable.ts';
import type { ExplainedEvent, LetInWay } from './event-explainer.ts';
import type { VisitorSummary } from './look-up.ts';

const MAX_REASONS = 5;

/** One event in plain words. `way` selects the change of guard.yaml that the text shows in full. */
export function describeEvent(event: ExplainedEvent, way: string | undefined): string {
  const { time, request, address, user_agent, session, what_happened, false_positives, advice } =
    event;
  const facts = [
    `${timeOf(time)}  ${request}`,
    `address ${address}`,
    `agent   ${user_agent === '' ? '(none)' : user_agent}`,
    ...(session === '' ? [] : [`session ${session}`]),
    `request ${event.request_id}${event.reference === '' ? '' : `, reference ${event.reference}`}`,
  ];
  return [
    applyStyle('bold', toPrintable(what_happened)),
    printableTexts(facts).join('\n'),
    section('What was found', printableTexts(foundOf(event))),
    section('The rule that decided', printableTexts(ruleOf(event))),
    section(
      'Who else can have this',
      printableTexts(
        false_positives.length === 0
          ? [NO_KNOWN_FALSE_POSITIVES]
          : false_positives.map(({ name, who }) => `${name}: ${who}`),
      ),
    ),
    section('What the visitor can do', printableTexts(advice)),
    ...letInOf(event, way),
  ].join('\n\n');
}

export function describeOthers(title: string, events: readonly ExplainedEvent[]): string {
  const eventLines = events.map(
    ({ time, action, request, rule, found, request_id }) =>
      `${timeOf(time)}  ${action.padEnd(9)}  ${[request, rule?.name ?? '', ...found.map(({ name }) => name), request_id].filter((part) => part !== '').join('  ')}`,
  );
  return section(title, printableTexts(eventLines));
}

export function describeSummary(
  title: string,
  { requests, actions, firstMs, lastMs, reasons }: VisitorSummary,
): string {
  const actionCounts = Object.entries(actions).filter(([, count]) => count > 0);
  const topReasons = reasons
    .slice(0, MAX_REASONS)
    .map((reason) => `${reason.name} ${reason.requests}`);
  return section(
    title,
    printableTexts([
      `${countText(requests, 'request')} from ${timeOf(new Date(firstMs).toISOString())} to ${timeOf(new Date(lastMs).toISOString())}`,
      actionCounts.map(([action, count]) => `${action} ${count}`).join(', '),
      ...(topReasons.length === 0 ? [] : [`reasons: ${topReasons.join(', ')}`]),
    ]),
  );
}

function foundOf({ found }: ExplainedEvent): string[] {
  if (found.length === 0) return ['Nothing.'];
  return found.map(({ name, points, counted: isCounted, meaning }) => {
    const weight = points === undefined ? 'decided' : pointsText(points);
    return `${name} (${weight}${isCounted ? '' : ', not counted'}): ${meaning}`;
  });
}

function ruleOf({ rule, same_settings }: ExplainedEvent): string[] {
  if (rule === null) return ['No rule matched.'];
  const directivesText =
    rule.directives_text === ''
      ? '. Give --config to see what it does and its line.'
      : rule.directives_text;
  return [
    `${rule.name}${directivesText}`,
    ...(rule.monitor ? ['It was in monitor mode.'] : []),
    ...(same_settings === false ? ['Other settings than those of this file decided.'] : []),
  ];
}

function letInOf(
  { let_in, why_no_let_in, action }: ExplainedEvent,
  way: string | undefined,
): string[] {
  if (action === 'allow') return [];
  const change = let_in.find(({ kind }) => way === undefined || kind === way);
  const title = 'Let this visitor in';
  if (change === undefined) {
    const reason =
      why_no_let_in !== ''
        ? why_no_let_in
        : let_in.length === 0
          ? 'Give --config to see what to write into guard.yaml.'
          : `There is no ${way ?? ''} of this request to let in.`;
    return [section(title, printableTexts([reason]))];
  }
  const otherChanges = let_in.filter((candidate) => candidate !== change);
  const { visitors, value, where, yaml, command } = change;
  const pasteLines =
    yaml === ''
      ? []
      : [
          toPrintable(`${visitors} ${value}. ${where}`),
          '',
          // A user can paste these lines, so they are not cut: a cut line would be invalid YAML.
          ...yaml
            .trimEnd()
            .split('\n')
            .map((line) => toPrintable(line, Infinity)),
          '',
        ];
  const commandTitle =
    yaml === ''
      ? `${visitors} ${value}, for a day and in all instances:`
      : 'Or for a day, in all instances and without a change of guard.yaml:';
  return [
    section(title, [
      ...printableTexts(why_no_let_in === '' ? [] : [why_no_let_in, '']),
      ...pasteLines,
      ...printableTexts(command === '' ? [] : [commandTitle, '', command, '']),
      ...printableTexts(otherWays(otherChanges)),
    ]),
  ];
}

/** The other kinds of changes. Each kind comes once, because a value after it selects the entry. */
function otherWays(changes: readonly LetInWay[]): string[] {
  const kinds = new Map<string, string>();
  for (const { kind, value } of changes)
    kinds.set(kind, [kinds.get(kind), value].filter(Boolean).join(', '));
  return [...kinds].map(([kind, values]) => `or --let-in ${kind}: ${toPrintable(values, 100)}`);
}

/** Makes lines printable. They include texts of visitors, and these must not control the terminal. */
function printableTexts(texts: readonly string[]): string[] {
  return texts.map((text) => toPrintable(text));
}

/** A time as text in UTC, like the times of events. */
function timeOf(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
