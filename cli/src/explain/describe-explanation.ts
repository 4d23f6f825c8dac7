import type { AgentNames } from '@guard/analytics/agent-names';
import type { Explanation } from '@guard/validator';
import { describeFacts } from './describe-facts.ts';
import { columns, section, styled, type Style } from '../terminal/layout.ts';

/** An explanation as text: the facts, the findings, the rules, the verdict, the answer. */
export function describeExplanation(
  explanation: Explanation,
  names: AgentNames,
  notes: readonly string[],
): string {
  const { facts, organisation, site } = explanation;
  const where =
    site === '' ? `organisation ${organisation}` : `site ${site}, organisation ${organisation}`;
  return [
    [
      styled('bold', `${facts.method} ${facts.host}${facts.path}`),
      styled('dim', where),
      ...notes.map((note) => styled('yellow', note)),
    ].join('\n'),
    section('Facts', describeFacts(facts, names)),
    describeFindings(explanation),
    section('Rules, in order', describeRules(explanation.rules)),
    section('Directives', describeDirectives(explanation)),
    section('Verdict', describeVerdict(explanation)),
    section('Answer', describeAnswer(explanation.answer)),
  ].join('\n\n');
}

const AMOUNTS_TO = {
  clean: 'they amount to nothing',
  ask: 'they amount to a challenge, where a rule detects',
  reject: 'they amount to a block, where a rule detects',
} as const;

function describeFindings({ findings, weighed }: Explanation): string {
  if (findings.length === 0) return section('Findings', ['none']);
  const rows = findings.map(({ reason, strength, category, meaning }) => [
    reason,
    strength ?? '-',
    category,
    meaning,
  ]);
  const lines = columns(rows, (text, column) => (column > 1 ? styled('dim', text) : text));
  return section(`Findings: ${AMOUNTS_TO[weighed]}`, lines);
}

function describeRules(rules: Explanation['rules']): string[] {
  const rows = rules.map(({ name, built_in, matched, sets, decides }) => {
    const wants = Object.entries(sets).map(([directive, value]) => {
      const text = `${directive}: ${wording(value)}`;
      return matched && !decides.some((decided) => decided === directive) ? `(${text})` : text;
    });
    return [matched ? '✓' : '·', built_in ? `${name} (built in)` : name, wants.join(', ')];
  });
  const lines = columns(rows, (text, _column, row) =>
    rules[row]?.matched === true ? text : styled('dim', text),
  );
  const isOverruled = rows.some(([, , wants = '']) => wants.includes('('));
  return isOverruled
    ? [...lines, styled('dim', 'In brackets: a rule further up has set it already.')]
    : lines;
}

/** The result of the rules: each directive, and the rule that set it. */
function describeDirectives({ rules, verdict }: Explanation): string[] {
  const rows = rules.flatMap(({ name, sets, decides }) =>
    decides.map((directive) => [directive, wording(sets[directive]), `by ${name}`]),
  );
  const isSetByRule = rows.some(([directive]) => directive === 'monitor');
  if (verdict.monitor && !isSetByRule) rows.push(['monitor', 'true', 'by the organisation']);
  return rows.length === 0 ? ['none: nothing is enforced'] : columns(rows);
}

/** A directive's value as it would stand in guard.yaml. */
function wording(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { requests, per, by } = value as { requests: number; per: number; by: readonly string[] };
  return `${requests} per ${duration(per)} by ${by.join(' and ')}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

const COLOUR: Readonly<Record<string, Style>> = { allow: 'green', block: 'red', limited: 'red' };

function describeVerdict({ verdict }: Explanation): string[] {
  const { concluded, enforced, rule, reasons, monitor, observe } = verdict;
  const coloured = (action: string) => styled(COLOUR[action] ?? 'yellow', action);
  const by = rule === '' ? 'no rule decides' : `by ${rule}`;
  const why = reasons.length === 0 ? by : `${by}: ${reasons.join(', ')}`;
  const lines = [`concluded  ${coloured(concluded)}, ${why}`];
  if (concluded !== enforced) {
    const because = observe ? 'observe enforces nothing' : 'monitor lifts a block';
    lines.push(`enforced   ${coloured(enforced)}, because ${because}`);
  } else {
    const left = monitor && concluded === 'challenge' ? ', monitor leaves challenges' : '';
    lines.push(`enforced   ${coloured(enforced)}${left}`);
  }
  return lines;
}

function describeAnswer(answer: Explanation['answer']): string[] {
  const { decision, status_code, headers = {}, cookies = [], body_bytes, retry_after } = answer;
  const type = headers['Content-Type']?.split(';', 1)[0] ?? 'body';
  const body = body_bytes === 0 ? 'no body' : `${body_bytes} bytes of ${type}`;
  const rows = [
    ['decision', `${decision}, status ${status_code ?? 'none'}, ${body}`],
    ['headers', Object.keys(headers).join(', ') || 'none'],
    ['cookies', cookies.map(describeCookie).join('; ') || 'none'],
  ];
  if (retry_after !== undefined) rows.push(['retry after', `${retry_after} s`]);
  if (answer.country_code !== undefined) rows.push(['country', answer.country_code]);
  if (answer.crawler !== undefined) {
    const { name, access_allowed } = answer.crawler;
    rows.push(['crawler', `${name}, access ${access_allowed ? 'allowed' : 'not allowed'}`]);
  }
  return columns(rows);
}

function describeCookie(cookie: NonNullable<Explanation['answer']['cookies']>[number]): string {
  const { name, path, max_age, secure, same_site, domain } = cookie;
  const host = domain === '' ? 'host-only' : domain;
  return `${name} (${path}, ${host}, ${duration(max_age * 1000)}, SameSite=${same_site}${secure ? ', Secure' : ''})`;
}
