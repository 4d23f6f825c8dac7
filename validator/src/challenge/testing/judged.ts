import type { Reason } from '@guard/config/contract/reasons';
import { answering, NO_SHEET, USUAL } from './answers.ts';
import { fixture } from './challenged-visitor.ts';
import type { Readings } from '../../../page-contract/evidence.ts';
import { judge, type Judgement } from '../evidence/judge.ts';

const TICKET = 'the ticket of these tests';

/** The console has a listener: a weak finding. A second weak finding is needed for a doubt, and then both are named. */
const LISTENING = { inspector: { value: { stacksFormatted: 1 } } } as const;

/** Changes to a recorded browser. */
export interface Change {
  readonly readings?: Partial<Readings>;
  readonly country?: string;
  /** Words that are replaced everywhere in the recording. */
  readonly words?: readonly (readonly [from: string, to: string])[];
}

/** A recorded person's browser with some changed readings, country or words. */
export function judgedPerson(
  name: string,
  { readings = {}, country = '', words = [] }: Change,
): Judgement {
  const { evidence, headers } = fixture(`human/${name}.json`);
  const text = words.reduce(
    (said, [from, to]) => said.replaceAll(from, to),
    JSON.stringify({ evidence, headers }),
  );
  // The shape is the same: only words were replaced.
  const person = JSON.parse(text) as { evidence: typeof evidence; headers: typeof headers };
  const changed = { ...person.evidence, readings: { ...person.evidence.readings, ...readings } };
  const answered = answering(changed, TICKET);
  const userAgent = person.headers['user-agent'] ?? '';
  return judge(
    answered,
    { userAgent, headers: person.headers, country, found: [] },
    NO_SHEET,
    USUAL,
  );
}

/** The reasons when the console also has a listener. The listener alone changes nothing. */
export function namedBesideAnother(name: string, change: Change): readonly Reason[] {
  const judgement = judgedPerson(name, {
    ...change,
    readings: { ...change.readings, ...LISTENING },
  });
  return 'reasons' in judgement ? judgement.reasons : [];
}

/** Chrome on Windows. Its time zone is UTC. */
export const CHROME_ON_WINDOWS = 'chrome-windows-office-fonts';

const YES = { plays: 'probably', streams: true };
const NO = { plays: '', streams: false };

/** The formats of a Chromium that was built without the licensed ones. */
export const UNLICENSED = { media: { value: { h264: NO, aac: NO, vp9: YES } } } as const;
