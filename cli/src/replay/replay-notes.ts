import type { Settings } from '@guard/config/settings/schema';
import type { Replay } from './run-replay.ts';

/** The assumptions and omissions of a replay, as sentences for its reader. */
export function replayNotes(
  replay: Pick<Replay, 'judged' | 'withHeaders' | 'unknown' | 'transitions'>,
  settings: readonly Settings[],
  { assumeVerified, isStored }: { readonly assumeVerified: boolean; readonly isStored: boolean },
): string[] {
  const withoutHeaders = replay.judged - replay.withHeaders;
  const isElsewhere = replay.transitions.some(({ after }) => after === 'elsewhere');
  return [
    ...(withoutHeaders === 0 ? [] : [noteOnHeaders(withoutHeaders, replay.judged)]),
    ...replay.unknown.map(
      (missingData) =>
        `${missingData}, which is not in the log: it counts only where that header makes no difference.`,
    ),
    ...(isStored ? [] : [assumeVerified ? NOTE_ALL_VERIFIED : NOTE_ALL_NEW]),
    'TLS and HTTP/2 fingerprints are not in any log: what they show is not found again.',
    ...(settings.some(({ crawlers }) => crawlers.reverse_dns) ? [NOTE_NO_LOOKUP] : []),
    ...(settings.some(({ observe, sites }) => observe || sites.some((site) => site.observe))
      ? ['`observe` is on: shown is what would be enforced without it.']
      : []),
    ...(isElsewhere ? ['Sites whose rules are at a remote validator are not judged here.'] : []),
  ];
}

const NOTE_ALL_NEW =
  'A log has no sessions, so each visitor counts as new. A person meets a challenge once, and is counted here with every request; --session verified shows which requests would be stopped all the same.';
const NOTE_ALL_VERIFIED =
  'Each visitor counts as one who has passed the challenge (--session verified).';
const NOTE_NO_LOOKUP =
  'No name is looked up: a crawler that only its host name or signature proves counts as unverified.';

function noteOnHeaders(withoutHeaders: number, judgedRequests: number): string {
  const subject =
    withoutHeaders === judgedRequests
      ? 'The log has'
      : `${withoutHeaders} of ${judgedRequests} requests have`;
  return `${subject} no request headers: of detection only User-Agent, crawler and address are judged. With headers there can be more findings, not fewer.`;
}
