import type { AgentNames } from '@guard/analytics/agent-names';
import type { Explanation } from '@guard/validator';
import { alignColumns, section, applyStyle, type Style } from '../terminal/layout.ts';
import { toPrintable } from '../terminal/printable.ts';

export function describeExplanation(
  explanation: Explanation,
  names: AgentNames,
  notes: readonly string[],
): string {
  const { facts, organisation, site } = explanation;
  const place =
    site === '' ? `organisation ${organisation}` : `site ${site}, organisation ${organisation}`;
  return [
    [
      applyStyle('bold', `${facts.method} ${facts.host}${facts.path}`),
      applyStyle('dim', place),
      ...notes.map((note) => applyStyle('yellow', note)),
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
    ...[reason, strength ?? '-', category, meaning],
  ]);
  const lines = alignColumns(rows, (text, column) => (column > 1 ? applyStyle('dim', text) : text));
  return section(`Findings: ${AMOUNTS_TO[weighed]}`, lines);
}

function describeRules(rules: Explanation['rules']): string[] {
  const rows = rules.map(({ name, built_in, matched, sets, decides }) => {
    const directives = Object.entries(sets).map(([directive, value]) => {
      const text = `${directive}: ${directiveText(value)}`;
      return matched && !decides.some((decidedDirective) => decidedDirective === directive)
        ? `(${text})`
        : text;
    });
    return [matched ? '✓' : '·', built_in ? `${name} (built in)` : name, directives.join(', ')];
  });
  const lines = alignColumns(rows, (text, _column, row) =>
    rules[row]?.matched === true ? text : applyStyle('dim', text),
  );
  const isOverruled = rows.some(([, , wants = '']) => wants.includes('('));
  return isOverruled
    ? [...lines, applyStyle('dim', 'In brackets: an earlier rule has already set it.')]
    : lines;
}

function describeDirectives({ rules, verdict }: Explanation): string[] {
  const rows = rules.flatMap(({ name, sets, decides }) =>
    decides.map((directive) => [directive, directiveText(sets[directive]), `by ${name}`]),
  );
  const isSetByRule = rows.some(([directive]) => directive === 'monitor');
  if (verdict.monitor && !isSetByRule) rows.push(['monitor', 'true', 'by the organisation']);
  return rows.length === 0 ? ['none: nothing is enforced'] : alignColumns(rows);
}

/** A directive's value as text in the form of guard.yaml. */
function directiveText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { requests, per, by } = value as { requests: number; per: number; by: readonly string[] };
  return `${requests} per ${durationText(per)} by ${by.join(' and ')}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

const COLOUR: Readonly<Record<string, Style>> = { allow: 'green', block: 'red', limited: 'red' };

function describeVerdict({ verdict }: Explanation): string[] {
  const { concluded, enforced, rule, reasons, monitor, observe } = verdict;
  const colour = (action: string) => applyStyle(COLOUR[action] ?? 'yellow', action);
  const ruleText = rule === '' ? 'no rule decides' : `by ${rule}`;
  const cause = reasons.length === 0 ? ruleText : `${ruleText}: ${reasons.join(', ')}`;
  const lines = [`concluded  ${colour(concluded)}, ${cause}`];
  if (concluded !== enforced) {
    const because = observe ? 'observe enforces nothing' : 'monitor lifts a block';
    lines.push(`enforced   ${colour(enforced)}, because ${because}`);
  } else {
    const exception = monitor && concluded === 'challenge' ? ', monitor leaves challenges' : '';
    lines.push(`enforced   ${colour(enforced)}${exception}`);
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
  return alignColumns(rows);
}

function describeCookie(cookie: NonNullable<Explanation['answer']['cookies']>[number]): string {
  const { name, path, max_age, secure, same_site, domain } = cookie;
  const host = domain === '' ? 'host-only' : domain;
  return `${name} (${path}, ${host}, ${durationText(max_age * 1000)}, SameSite=${same_site}${secure ? ', Secure' : ''})`;
}

type Facts = Explanation['facts'];

function describeFacts(facts: Facts, names: AgentNames): string[] {
  const rows = [
    ['address', addressOf(facts)],
    ['agent', agentOf(facts)],
    ...(names.browser === '' ? [] : [['recorded', recordedAs(names)]]),
    ['crawler', crawlerOf(facts.crawler)],
    ...(facts.signed_agent === null ? [] : [['signed by', signerOf(facts.signed_agent)]]),
    ['session', sessionOf(facts.session)],
  ];
  const [, ...others] = facts.readings;
  if (others.length > 0) rows.push(['path', `may also be read as ${others.join(' ')}`]);
  const representation = facts.representation === 'html' ? 'a page' : 'application/problem+json';
  rows.push(['if denied', representation]);
  return alignColumns(rows, (text, column) => (column === 0 ? applyStyle('dim', text) : text));
}

function addressOf({ ip, network, country, asn }: Facts): string {
  const countryText = country === null ? 'country unknown' : `country ${country}`;
  const asnText = asn === null ? 'no AS' : `AS ${asn}`;
  const networkText = network === null ? 'ordinary network' : `${network} network`;
  return [ip, networkText, countryText, asnText].join(', ');
}

function agentOf({ user_agent, agent }: Facts): string {
  if (user_agent === '') return 'no User-Agent';
  const { engine, major, platform, mobile, http_client, automation } = agent;
  const claims = [
    engine === null ? 'no browser' : `${engine} ${major} on ${platform}${mobile ? ', mobile' : ''}`,
    ...(http_client === null ? [] : [`HTTP client ${JSON.stringify(http_client)}`]),
    ...(automation === null ? [] : [`automation ${JSON.stringify(automation)}`]),
  ];
  return `${claims.join(', ')}: ${toPrintable(user_agent, 120)}`;
}

function recordedAs({ browser, version, os, device }: AgentNames): string {
  return [`${browser} ${version}`, os, device].filter((name) => name !== '').join(', ');
}

function crawlerOf(crawler: Facts['crawler']): string {
  if (crawler === null) return 'none';
  const { name, category, rsl_category, proof, allowlisted } = crawler;
  const allowlistText = allowlisted ? 'on the allowlist' : 'not on the allowlist';
  return `${name} (${category}, ${rsl_category}), ${PROOFS[proof] ?? proof}, ${allowlistText}`;
}

function signerOf({ name, directory }: NonNullable<Facts['signed_agent']>): string {
  return directory === '' ? name : `${name} (${directory})`;
}

const PROOFS: Readonly<Record<string, string>> = {
  verified: "verified: the address is its operator's",
  impersonator: "an impersonator: the address is not its operator's",
  unverifiable: 'not to be verified by its address',
};

const SESSIONS: Readonly<Record<Facts['session']['state'], string>> = {
  none: 'none',
  issued: 'issued, no challenge passed yet',
  verified: 'verified: it passed its challenge',
  rejected: 'rejected: it failed its challenge',
};

function sessionOf({ state, id }: Facts['session']): string {
  return id === null ? SESSIONS[state] : `${SESSIONS[state]} (${id})`;
}
