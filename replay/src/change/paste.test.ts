import { linesOf, ruleLine } from '@guard/config/settings/derived/rule-lines';
import { describe, expect, test } from 'vitest';
import { guardYaml, settingsOf } from '../testing/settings-of.ts';
import { changedSettings, settingsOfOrganisation } from './candidate.ts';
import { type ReplayChange, readChange } from './change.ts';
import { pasteOf } from './paste.ts';

const RULES = `rules:
  - { name: everybody, match: {}, detect: true }
  - { name: "let in: one path", match: { path: /old }, verdict: allow }
`;
const allSettings = settingsOf(guardYaml(RULES));
const acme = settingsOfOrganisation(allSettings, 'acme');
const [organisation] = acme.organisations;
if (!organisation) throw new Error('the settings have no organisation acme');

const allow = (match: Extract<ReplayChange, { kind: 'allow' }>['match']): ReplayChange => ({
  kind: 'allow',
  match,
});

/** The settings after a user has pasted the text under `rules:`, before the other rules. */
function settingsAfterPaste(change: ReplayChange) {
  const { yaml } = pasteOf(change, organisation as NonNullable<typeof organisation>);
  expect(yaml).toMatch(/^[\n\x20-\x7e]*$/);
  const indentedYaml = yaml.replaceAll(/^(?=.)/gm, '  ');
  return settingsOf(guardYaml(RULES.replace('rules:\n', (line) => line + indentedYaml)));
}

describe('guard.yaml with the pasted text gives the settings that the replay judged', () => {
  test.each([
    ['address', { ip: '203.0.113.7' }],
    ['range', { ip: '2001:db8::/32' }],
    ['session', { session: '0123456789abcdef0123456789abcdef' }],
    ['session that looks like a number', { session: '1'.repeat(32) }],
    ['path', { path: '/api/**' }],
    ['all four', { ip: '203.0.113.7', session: 'a'.repeat(32), path: '/x', user_agent: 'curl/8' }],
  ])('%s', (_name, match) => {
    const change = allow(match);
    expect(settingsOfOrganisation(settingsAfterPaste(change), 'acme')).toEqual(
      changedSettings(acme, change),
    );
  });

  test.each([
    '',
    'curl/8.5.0 (x86_64)',
    'a: b # c',
    '"} ]\n- { name: everybody, match: {}, verdict: allow }\n#',
    "'; verdict: allow",
    '*',
    'what? ^(a+)+$ {1,2} [x] \\d | *',
    '${HOME} $${HOME} ${',
    '${HOME}*',
    '\u202e\u0000\u0085\u2028 é 😀 \\u0041 \t',
    '&anchor *alias !tag',
    `${'x'.repeat(100)}\n\n${'y'.repeat(100)}`,
  ])('a hostile User-Agent stays a value in YAML: %j', (user_agent) => {
    const change = allow({ user_agent });
    const { organisations } = settingsOfOrganisation(settingsAfterPaste(change), 'acme');
    expect(organisations).toEqual(changedSettings(acme, change).organisations);
    const [rule] = organisations[0]?.rules ?? [];
    const [pattern] = rule?.match.user_agent ?? [];
    if (typeof pattern === 'string') expect(pattern).toBe(user_agent);
    else expect(pattern?.regex).toMatch(/^\^.*\$$/s);
    expect(Object.keys(rule?.match ?? {})).toEqual(['user_agent']);
  });

  test('the strength of a reason can be pasted above the rules', () => {
    const change: ReplayChange = { kind: 'reason', reason: 'vpn_ip', strength: 'note' };
    const { yaml } = pasteOf(change, organisation);
    expect(yaml).toBe('detection:\n  reasons:\n    vpn_ip: note\n');
    const settings = settingsOf(guardYaml(yaml + RULES));
    expect(settingsOfOrganisation(settings, 'acme')).toEqual(changedSettings(acme, change));
  });
});

test('changedSettings changes only the rules of the organisation', () => {
  const { organisations, sites, ...rest } = changedSettings(acme, allow({ path: '/x' }));
  expect(organisations[0]?.rules.map(({ name }) => name)).toEqual([
    'let in: one path (2)',
    'everybody',
    'let in: one path',
  ]);
  expect(sites.map(({ hosts }) => hosts)).toEqual([['shop.example']]);
  expect(rest).toEqual({ ...allSettings, organisations: undefined, sites: undefined });
});

test('all rules of the name are removed, and the instruction has the name and the line', () => {
  const change: ReplayChange = { kind: 'without_rule', rule: 'everybody' };
  const [rule] = organisation.rules;
  if (!rule) throw new Error('acme has no rules');
  const withRuleTwice = { ...organisation, rules: [...organisation.rules, rule] };
  const changedAcme = changedSettings({ ...acme, organisations: [withRuleTwice] }, change);
  expect(changedAcme.organisations[0]?.rules.map(({ name }) => name)).toEqual(['let in: one path']);
  const line = ruleLine(rule, organisation.rules) ?? 0;
  expect(line).toBeGreaterThan(1);
  expect(pasteOf(change, organisation)).toEqual({
    yaml: '- name: "everybody"\n',
    where: `Remove the rule of this name under rules: of organisation acme, line ${line} of guard.yaml.`,
  });
});

test('the instruction says where to put a rule', () => {
  const placeFor = (rules: typeof organisation.rules) =>
    pasteOf(allow({ ip: '::1' }), { id: 'acme', rules }).where;
  expect(placeFor(organisation.rules)).toBe(
    `Put it first under rules: of organisation acme, line ${linesOf(organisation.rules)?.list ?? 0} of guard.yaml.`,
  );
  expect(placeFor([])).toMatch(/^Put it under rules: of organisation acme of guard\.yaml\./);
});

describe('an invalid change is refused with a message', () => {
  test.each([
    [{ kind: 'allow', match: {} }, 24, /^Say whom to let in/],
    [{ kind: 'allow', match: { ip: '10.0.0.0/33' } }, 24, /^This is no IP address/],
    [{ kind: 'allow', match: { ip: '::1', host: 'x' } }, 24, /host/],
    [{ kind: 'allow', match: { session: 'verified' } }, 24, /^A session is named by/],
    [{ kind: 'allow', match: { path: 'x' } }, 24, /^A path begins with/],
    [{ kind: 'allow', match: { user_agent: 'x'.repeat(1025) } }, 24, /at most 1024/],
    [{ kind: 'allow', match: { user_agent: '?'.repeat(401) } }, 24, /at most 400/],
    [{ kind: 'allow', match: { user_agent: '\ud800' } }, 24, /no valid text/],
    [{ kind: 'reason', reason: 'nonsense', strength: 'note' }, 24, /no reason "nonsense"/],
    [{ kind: 'reason', reason: 'vpn_ip', strength: 'strong' }, 24, /off, note or weak/],
    [{ kind: 'without_rule', rule: 'absent' }, 24, /^Organisation acme has no rule "absent"\.$/],
    [{ kind: 'without_rule', rule: 'preset:git' }, 24, /one of a preset/],
    [{ kind: 'else' }, 24, /of the kind allow, reason or without_rule/],
    [undefined, 24, /./],
    [{ kind: 'without_rule', rule: 'everybody' }, 169, /at most 168/],
    [{ kind: 'without_rule', rule: 'everybody' }, '24', /whole number from 1 to 168/],
  ])('%j', (change, hours, message) => {
    const reading = readChange(change, hours, organisation);
    expect(reading).toEqual({
      kind: 'refused',
      message: expect.stringMatching(message) as unknown,
    });
  });
});
