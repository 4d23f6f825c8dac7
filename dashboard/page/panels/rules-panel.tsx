import { useContext, useState } from 'preact/hooks';
import { DataTable } from '../chart/data-table.tsx';
import { num, text } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';
import { unlistedRuleText } from '@guard/config/plain-words/what-happened';
import type { RuleFacts } from '@guard/config/plain-words/facts';
import { SignedIn } from '../data/signed-in.ts';
import { Replay } from '../event/replay.tsx';
import { useNavigation } from '../navigation.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { Value } from '../parts/value.tsx';
import { rules } from '../sql/operations.ts';
import { count, eventTime, percent } from '../text/format.ts';
import { SmallButton } from '../parts/small-button.tsx';

export function RulesPanel() {
  const { scope } = useNavigation();
  const { me } = useContext(SignedIn);
  return (
    <QueryPanel
      title="Rules"
      about="The requests that each rule decided. “Monitor mode” is the current setting. The time says since when the events of this period show it."
      sql={rules(scope)}
      empty={`No requests in this period. The settings have ${me.rules.length} rules.`}
    >
      {({ rows }) => <Rules rows={rows} />}
    </QueryPanel>
  );
}

function Rules({ rows }: { readonly rows: readonly Row[] }) {
  const { me } = useContext(SignedIn);
  const { now } = useNavigation();
  const [triedRule, setTriedRule] = useState('');
  const totalRequests = num(rows[0]?.[6]);
  const rowsByRule = new Map(rows.map((row) => [text(row[0]), row]));
  const ruleNames = new Set(me.rules.map(({ name }) => name));
  const unlistedRows = rows.filter((row) => text(row[0]) !== '' && !ruleNames.has(text(row[0])));
  const cellsOf = (name: string, rule: RuleFacts | undefined) => {
    const row = rowsByRule.get(name);
    const hits = num(row?.[1]);
    return [
      <Value field="rule" value={name} key="name" />,
      rule === undefined ? (
        <span class="muted" key="does">
          {unlistedRuleText(name)}
        </span>
      ) : (
        <RuleEffect key="does" rule={rule} since={row && sinceText(row, now)} />
      ),
      count(hits),
      percent(hits, totalRequests),
      count(num(row?.[2])),
      num(row?.[4]) === 0 ? '–' : count(num(row?.[4])),
      row === undefined ? (
        <strong key="never">never in this period</strong>
      ) : (
        eventTime(num(row[5]), now)
      ),
      rule === undefined ? null : (
        <SmallButton
          key="gone"
          aria-label={`What if without this rule? ${name}`}
          onClick={() => setTriedRule(name)}
        >
          What if without this rule?
        </SmallButton>
      ),
    ];
  };
  return (
    <>
      <DataTable
        caption="Rules"
        head={['Rule', 'Does', 'Decided', 'Share', 'Stopped', 'Would stop', 'Last time', 'Try']}
        numbersFrom={2}
        rows={[
          ...me.rules.map((rule) => cellsOf(rule.name, rule)),
          ...unlistedRows.map((row) => cellsOf(text(row[0]), undefined)),
        ]}
      />
      <p class="about">
        {count(num(rowsByRule.get('')?.[1]))} requests matched no rule. {count(totalRequests)} in
        all.
      </p>
      {triedRule === '' ? null : (
        <Replay
          key={triedRule}
          title={`Without the rule “${triedRule}”`}
          change={{ kind: 'without_rule', rule: triedRule }}
          close={() => setTriedRule('')}
        />
      )}
    </>
  );
}

/**
 * Returns the time since which the rule is in monitor mode. “At least since” when no event of the period was enforced.
 * Empty when no event was monitored, or when an enforced event came after the first monitored event.
 */
function sinceText(row: Row, now: number): string {
  const [lastEnforcedMs, firstMonitoredMs] = [num(row[7]), num(row[8])];
  if (firstMonitoredMs === 0 || lastEnforcedMs > firstMonitoredMs) return '';
  return lastEnforcedMs > 0
    ? `since ${eventTime(firstMonitoredMs, now)}`
    : `at least since ${eventTime(firstMonitoredMs, now)}`;
}

function RuleEffect({
  rule,
  since = '',
}: {
  readonly rule: RuleFacts;
  readonly since?: string | undefined;
}) {
  return (
    <span>
      {rule.does}
      {rule.monitor ? <span class="tag">monitor mode {since}</span> : null}
      {rule.preset ? <span class="tag">preset</span> : null}
      {rule.line === null ? null : <span class="note">line {rule.line}</span>}
    </span>
  );
}
