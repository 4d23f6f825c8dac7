import { useContext } from 'preact/hooks';
import { SignedIn } from '../data/signed-in.ts';
import { Value } from '../parts/value.tsx';
import { plural } from '../text/format.ts';
import type { WholeEvent } from './whole-event.ts';

/** What spoke against the visitor, with points and meaning. */
export function Findings({ event }: { readonly event: WholeEvent }) {
  const found = new Map(event.findings.map(({ name, points }) => [name, points]));
  const names = [...found.keys(), ...event.reasons.filter((reason) => !found.has(reason))];
  const points = event.findings.reduce((sum, one) => sum + one.points, 0);
  return (
    <section>
      <h3>What was found</h3>
      {names.length === 0 ? <p class="empty">Nothing.</p> : <Points points={points} />}
      <ul class="findings">
        {names.map((name) => (
          <Finding
            key={name}
            name={name}
            points={found.get(name)}
            counted={event.reasons.includes(name)}
          />
        ))}
      </ul>
    </section>
  );
}

function Points({ points }: { readonly points: number }) {
  const { ask, reject } = useContext(SignedIn).me.thresholds;
  const full = Math.max(reject, points);
  const at = (value: number): string => `${(100 * value) / full}%`;
  return (
    <div class="points">
      <p class="about">
        {plural(points, 'point')}: asked from {ask} on, rejected from {reject} on.
      </p>
      <div
        class="scale"
        aria-hidden="true"
        style={{ '--points': at(points), '--ask': at(ask), '--reject': at(reject) }}
      >
        <span />
      </div>
    </div>
  );
}

interface FindingProps {
  readonly name: string;
  readonly points: number | undefined;
  readonly counted: boolean;
}

function Finding({ name, points, counted }: FindingProps) {
  const { me } = useContext(SignedIn);
  const reason = me.reasons[name];
  return (
    <li>
      <p>
        <Value field="reason" value={name} />{' '}
        <span class="tag">{points === undefined ? 'decided' : plural(points, 'point')}</span>
        {reason === undefined ? null : (
          <span class="note">{reason.category.replaceAll('_', ' ')}</span>
        )}
        {counted ? null : <span class="note">came to nothing</span>}
      </p>
      <p>
        {reason?.meaning ?? 'This version of Guard does not know it.'}{' '}
        {me.docs === null || reason === undefined ? null : (
          <a
            href={`${me.docs}/block-reasons/${encodeURIComponent(name)}`}
            rel="noreferrer"
            target="_blank"
          >
            More about it
          </a>
        )}
      </p>
    </li>
  );
}
