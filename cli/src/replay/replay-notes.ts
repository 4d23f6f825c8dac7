import type { Settings } from '@guard/config/settings/schema';
import type { Replay } from './run-replay.ts';

/** The assumptions and omissions of a replay, as sentences for its reader. */
export function replayNotes(
  replay: Pick<Replay, 'judged' | 'withHeaders' | 'unknown' | 'transitions'>,
  settings: readonly Settings[],
  { assumeVerified, isStored }: { readonly assumeVerified: boolean; readonly isStored: boolean },
): string[] {
  const bare = replay.judged - replay.withHeaders;
  const isElsewhere = replay.transitions.some(({ after }) => after === 'elsewhere');
  return [
    ...(bare === 0 ? [] : [bareNote(bare, replay.judged)]),
    ...replay.unknown.map(
      (what) =>
        `${what}, which is not in the log: it counts only where that header makes no difference.`,
    ),
    ...(isStored ? [] : [assumeVerified ? ALL_VERIFIED : ALL_NEW]),
    'TLS and HTTP/2 fingerprints are not in any log: what they show is not found again.',
    ...(settings.some(({ crawlers }) => crawlers.reverse_dns) ? [NO_NAMES] : []),
    ...(settings.some(({ observe, sites }) => observe || sites.some((site) => site.observe))
      ? ['`observe` is on: shown is what would be enforced without it.']
      : []),
    ...(isElsewhere ? ['Sites whose rules are at a remote validator are not judged here.'] : []),
  ];
}

const ALL_NEW =
  'A log has no sessions, so each visitor counts as new. A person meets a challenge once, and is counted here with every request; --session verified shows which requests would be stopped all the same.';
const ALL_VERIFIED =
  'Each visitor counts as one who has passed the challenge (--session verified).';
const NO_NAMES =
  'No name is looked up: a crawler that only its host name or signature proves counts as unverified.';

function bareNote(bare: number, judged: number): string {
  const which = bare === judged ? 'The log has' : `${bare} of ${judged} requests have`;
  return `${which} no request headers: of detection only User-Agent, crawler and address are judged. With headers there can be more findings, not fewer.`;
}
