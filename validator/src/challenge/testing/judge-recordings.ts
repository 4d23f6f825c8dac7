import type { Reason } from '@guard/config/contract/reasons';
import { answering, NO_SHEET, USUAL } from './answers.ts';
import { fixture, type Fixture } from './challenged-visitor.ts';
import type { Readings } from '../../../page-contract/evidence.ts';
import { judge, type Judgement } from '../evidence/judge.ts';

const TICKET = 'the ticket of these tests';

/** The console has a listener: a weak finding. Together with a second weak finding it makes a doubt that names both. */
export const LISTENING = { inspector: { value: { stacksFormatted: 1 } } } as const;

export interface Change {
  readonly readings?: Partial<Readings>;
  readonly country?: string;
  /** Words that are replaced everywhere in the recording. */
  readonly words?: readonly (readonly [from: string, to: string])[];
}

type Recording = Pick<Fixture, 'evidence' | 'headers'>;

/** The judgement of this recording as the answer to one ticket. */
export function judged({ evidence, headers }: Recording, country = ''): Judgement {
  const request = { userAgent: headers['user-agent'] ?? '', headers, country, found: [] };
  return judge(answering(evidence, TICKET), request, NO_SHEET, USUAL);
}

/** The judgement of a recorded person's browser with some changed readings, country or words. */
export function judgedPerson(
  name: string,
  { readings = {}, country = '', words = [] }: Change,
): Judgement {
  const { evidence, headers } = fixture(`human/${name}.json`);
  const text = words.reduce(
    (said, [from, to]) => said.replaceAll(from, to),
    JSON.stringify({ evidence, headers }),
  );
  const person = JSON.parse(text) as Recording;
  Object.assign(person.evidence.readings, readings);
  return judged(person, country);
}

/** The reasons when the console also has a listener. The listener alone changes nothing. */
export function namedBesideAnother(name: string, change: Change): readonly Reason[] {
  const readings = { ...change.readings, ...LISTENING };
  const judgement = judgedPerson(name, { ...change, readings });
  return 'reasons' in judgement ? judgement.reasons : [];
}

/** Chrome on Windows. Its time zone is UTC. */
export const CHROME_ON_WINDOWS = 'chrome-windows-office-fonts';

const YES = { plays: 'probably', streams: true };
const NO = { plays: '', streams: false };

/** The formats of a Chromium that was built without licensed formats. */
export const UNLICENSED = { media: { value: { h264: NO, aac: NO, vp9: YES } } } as const;

export const HUMAN = { kind: 'human' } as const;
export const doubtful = (...reasons: readonly Reason[]) => ({ kind: 'doubtful', reasons });
export const automated = (...reasons: readonly Reason[]) => ({ kind: 'automated', reasons });
