import type { Reason } from '@guard/config/contract/reasons';
import { answerTicket, NO_SHEET, DEFAULT_STRENGTHS } from './answers.ts';
import { readFixture, type Fixture } from './challenged-visitor.ts';
import type { Readings } from '../../../page-contract/evidence.ts';
import { judge, type Judgement } from '../evidence/judge.ts';

const TICKET = 'the ticket of these tests';

/**
 * Readings of a console with a listener, which is a weak finding. With a second weak finding the judgement is doubtful,
 * and its reasons list both.
 */
export const LISTENING = { inspector: { value: { stacksFormatted: 1 } } } as const;

export interface Change {
  readonly readings?: Partial<Readings>;
  readonly country?: string;
  /** Pairs of words: `to` replaces `from` everywhere in the recording. */
  readonly words?: readonly (readonly [from: string, to: string])[];
}

type Recording = Pick<Fixture, 'evidence' | 'headers'>;

/** The judgement of this recording as the answer to one ticket. */
export function judgeRecording({ evidence, headers }: Recording, country = ''): Judgement {
  const request = { userAgent: headers['user-agent'] ?? '', headers, country, found: [] };
  return judge(answerTicket(evidence, TICKET), request, NO_SHEET, DEFAULT_STRENGTHS);
}

/** The judgement of a recording of a person's browser, with changed readings, country or words. */
export function judgePerson(
  name: string,
  { readings = {}, country = '', words = [] }: Change,
): Judgement {
  const { evidence, headers } = readFixture(`human/${name}.json`);
  const text = words.reduce(
    (replacedText, [from, to]) => replacedText.replaceAll(from, to),
    JSON.stringify({ evidence, headers }),
  );
  const person = JSON.parse(text) as Recording;
  Object.assign(person.evidence.readings, readings);
  return judgeRecording(person, country);
}

/** The reasons when the console also has a listener. The listener by itself does not change the judgement. */
export function reasonsBesideListener(name: string, change: Change): readonly Reason[] {
  const readings = { ...change.readings, ...LISTENING };
  const judgement = judgePerson(name, { ...change, readings });
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
