import { expect, test } from 'vitest';
import { adviceOf } from './advice.ts';
import { letInOptions } from './let-in.ts';
import { ruleText, sentenceOf } from './what-happened.ts';
import { wholeEvent } from './whole-event.ts';

const knowledge = { rules: [], thresholds: { ask: 2, reject: 6 } };
const eventOf = (cells: Readonly<Record<string, unknown>>) =>
  wholeEvent((column) => ({ action: 'allow', decision: 'allow', ...cells })[column]);

test('for a site without an answer, the text reports this and advises the visitor to try again', () => {
  const unansweredEvent = eventOf({ status_code: 502, origin_status: 0 });
  expect(sentenceOf(unansweredEvent, knowledge)).toBe(
    'The request was allowed, and nothing speaks against it. The site itself gave no answer, so the visitor got 502.',
  );
  expect(adviceOf(unansweredEvent, {})).toEqual([
    'Try again in a few minutes: the site gave no answer.',
  ]);
});

test('a 502 that the origin itself sent is not reported as a page of Guard', () => {
  const answeredEvent = eventOf({ status_code: 502, origin_status: 502 });
  expect(sentenceOf(answeredEvent, knowledge)).not.toContain('no answer');
});

test('when a rule decided, a change of a finding’s strength is not offered as a way to let the visitor in', () => {
  const cells = { action: 'block', ip: '2001:db8:1:2::9', findings: { header_missing: 2 } };
  const optionsFor = (reasons: readonly string[]) =>
    letInOptions(eventOf({ ...cells, block_reasons: reasons })).map(({ kind, value }) => [
      kind,
      value,
    ]);
  const visitorOptions = [
    ['address', '2001:db8:1:2::9'],
    ['network', '2001:db8:1::/48'],
  ];
  expect(optionsFor(['header_missing'])).toEqual([...visitorOptions, ['reason', 'header_missing']]);
  expect(optionsFor(['policy_block', 'header_missing'])).toEqual(visitorOptions);
});

test('the crawler allowlist has a text, and a rule that is no longer in the settings has one too', () => {
  expect(ruleText('crawler allowlist', knowledge)).toBe(
    ': allow, for verified crawlers of crawler_allowlist.',
  );
  expect(ruleText('temporary tabc123', knowledge)).toMatch(/^: a person decided so for a while/);
  expect(ruleText('of last year', knowledge)).toBe(': not in the current settings.');
});
