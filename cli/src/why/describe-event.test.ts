import { expect, test } from 'vitest';
import { describeEvent } from './describe-event.ts';

const EVENT = {
  ...{ time: '2026-11-25T12:00:00.000Z', request_id: 'r', reference: '', action: 'block' },
  ...{ what_happened: 'The request was blocked.', request: 'GET /', address: '192.0.2.1' },
  ...{
    user_agent: 'a',
    session: '',
    found: [],
    rule: null,
    same_settings: null,
    false_positives: [],
  },
  ...{ advice: [], why_no_let_in: '' },
};

test('a line for guard.yaml is never cut, also with a long User-Agent', () => {
  const yaml = `- match: { user_agent: "${'x'.repeat(1_024)}" }`;
  const proposal = { kind: 'agent', visitors: 'Everybody with this agent', value: 'x' };
  const text = describeEvent(
    { ...EVENT, let_in: [{ ...proposal, where: 'There.', command: '', yaml: `${yaml}\n` }] },
    'agent',
  );
  expect(text).toContain(`\n  ${yaml}\n`);
});
