import {
  foundIn,
  type ListedFinding,
  pointsText,
  UNKNOWN_REASON,
} from '@guard/config/plain-words/what-happened';
import type { WholeEvent } from '@guard/config/plain-words/whole-event';
import { useContext } from 'preact/hooks';
import { SignedIn } from '../data/signed-in.ts';
import { Value } from '../parts/value.tsx';

/** The findings against the visitor, with points and meaning. */
export function Findings({ event }: { readonly event: WholeEvent }) {
  const findings = foundIn(event);
  const points = event.findings.reduce((sum, one) => sum + one.points, 0);
  return (
    <section>
      <h3>What was found</h3>
      {findings.length === 0 ? <p class="empty">Nothing.</p> : <Points points={points} />}
      <ul class="findings">
        {findings.map((one) => (
          <Finding key={one.name} {...one} />
        ))}
      </ul>
    </section>
  );
}

function Points({ points }: { readonly points: number }) {
  const { ask, reject } = useContext(SignedIn).me.thresholds;
  const maxPoints = Math.max(reject, points);
  const positionOf = (value: number): string => `${(100 * value) / maxPoints}%`;
  return (
    <div class="points">
      <p class="about">
        {pointsText(points)}. A visitor is challenged from {ask} points, and rejected from {reject}.
      </p>
      <div
        class="scale"
        aria-hidden="true"
        style={{
          '--points': positionOf(points),
          '--ask': positionOf(ask),
          '--reject': positionOf(reject),
        }}
      >
        <span />
      </div>
    </div>
  );
}

function Finding({ name, points, counted }: ListedFinding) {
  const { me } = useContext(SignedIn);
  const reason = me.reasons[name];
  return (
    <li>
      <p>
        <Value field="reason" value={name} />{' '}
        <span class="tag">{points === undefined ? 'decided' : pointsText(points)}</span>
        {reason === undefined ? null : (
          <span class="note">{reason.category.replaceAll('_', ' ')}</span>
        )}
        {counted ? null : <span class="note">not counted</span>}
      </p>
      <p>
        {reason?.meaning ?? UNKNOWN_REASON}{' '}
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
