import { readdirSync, readFileSync } from 'node:fs';
import { entryOf, isFinding, type Reason, reasons } from '../contract/reasons.ts';
import { POINTS, THRESHOLDS } from '../contract/strengths.ts';
import { presetRules } from '../settings/presets/preset-rules.ts';
import type { Rule } from '../settings/sections/rule.ts';
import { linesOf } from '../settings/derived/rule-lines.ts';
import type { Organisation, Settings } from '../settings/schema.ts';
import type { Knowledge, ReasonFacts, RuleFacts } from './facts.ts';

const REASON_TEXTS_FOLDER = new URL('../../../docs/guide/block-reasons/', import.meta.url);

/** The facts about one organisation. Undefined when the settings do not have this organisation. */
export function knowledgeOf(
  { organisations, sites }: Pick<Settings, 'organisations' | 'sites'>,
  id: string,
): Knowledge | undefined {
  const organisation = organisations.find((candidate) => candidate.id === id);
  if (organisation === undefined) return undefined;
  const { rules } = organisation;
  const lines = linesOf(rules);
  return {
    sites: sites.filter((site) => site.organisation === id).map(({ hosts }) => hosts[0] ?? ''),
    rules: [
      ...rules.map((rule, ruleIndex) => factsOf(rule, false, lines?.rules[ruleIndex])),
      ...presetRules(organisation).map((rule) => factsOf(rule, true)),
    ],
    reasons: reasonsOf(organisation),
    thresholds: THRESHOLDS,
  };
}

function factsOf(rule: Rule, preset: boolean, line?: number): RuleFacts {
  const { name, verdict, detect, challenge, rate_limit: limit, monitor = false } = rule;
  const does = [
    verdict,
    detect === undefined ? undefined : detect ? 'detect' : 'detect: false',
    challenge && `challenge: ${challenge}`,
    limit && `at most ${limit.requests} in ${limit.per / 1000} s by ${limit.by.join(' and ')}`,
    monitor ? 'monitor' : undefined,
  ].filter((text) => text !== undefined);
  return { name, line: line ?? null, does: does.join(', '), monitor, preset };
}

function reasonsOf({ detection }: Organisation): Record<string, ReasonFacts> {
  const texts = (reasonTexts ??= readTexts());
  const names = Object.keys(reasons) as Reason[];
  return Object.fromEntries(
    names.map((name) => {
      const { meaning, category, strength: defaultStrength } = entryOf(name);
      const strength =
        (isFinding(name) ? detection.reasons[name] : undefined) ?? defaultStrength ?? null;
      const points = strength === null ? 0 : POINTS[strength];
      const { others = '', remedy = '' } = texts.get(name) ?? {};
      return [name, { meaning, category, strength, points, others, remedy }];
    }),
  );
}

interface ReasonText {
  readonly others: string;
  readonly remedy: string;
}

let reasonTexts: ReadonlyMap<string, ReasonText> | undefined;

function readTexts(): ReadonlyMap<string, ReasonText> {
  return new Map(
    readdirSync(REASON_TEXTS_FOLDER).map((file) => {
      const text = readFileSync(new URL(file, REASON_TEXTS_FOLDER), 'utf8');
      const sectionText = (title: string): string =>
        toPlainText(text.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '');
      return [
        file.replace(/\.md$/, ''),
        { others: sectionText('Who else can have it'), remedy: sectionText('What to do') },
      ];
    }),
  );
}

/** Converts Markdown to plain text: without code blocks and markup, and with only the text of links. */
function toPlainText(markdown: string): string {
  return markdown
    .replace(/```[^]*?```/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .trim();
}
