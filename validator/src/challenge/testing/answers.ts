import { LAYOUT_SIDE } from '../../../page-contract/limits.ts';
import { readPageClaim } from '../../request/browser-claim.ts';
import { type Evidence, valueOfReading, type Readings } from '../../../page-contract/evidence.ts';
import { createSealer } from '../../session/sealer.ts';
import { Strengths } from '../../verdict/strengths.ts';
import { createCascadeSheets } from '../cascade/sheet.ts';
import { createUploadForms } from '../program/programs.ts';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { createQuestionPool } from '../learned/question-pool.ts';
import { createWitnesses } from '../witnesses/witnesses.ts';
import { readFields } from '../tickets/ticket-fields.ts';

let visits = 0;

/** Secrets of tests and benches. With the secret of a ticket, a test can compute the answers to its sheet. */
const TEST_SECRETS = [
  'the first secret of the tests',
  'the secret of the tests, long enough',
  'the secret of the bench, long enough',
  // The secret of validator/browser/testing/test-site.ts.
  'the secret of the browser test',
  // The secret of test/kit/product/product-settings.ts and test/flow/several-instances.test.ts. This package is not
  // allowed to import them.
  'flow-tests-4b3a2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
  'flow-tests-next-6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f',
].map((secret) => ({
  sealer: createSealer([secret], 'ticket'),
  sheets: createCascadeSheets([secret]),
  witnesses: createWitnesses([secret]),
  formsOf: createUploadForms([secret]),
  pool: createQuestionPool([secret]),
}));

/** The default strengths of findings. */
export const DEFAULT_STRENGTHS = new Strengths();

/** The widths for a test that judges without a real ticket, and so without a sheet. */
export const NO_SHEET: readonly (readonly number[])[] = [[]];

/** Returns the secret that made a ticket, and the ticket's fields. */
function openTicket(ticket: string) {
  const bytes = Buffer.from(ticket, 'base64url');
  const [mac, body] = [bytes.subarray(0, 32), bytes.subarray(32)];
  const issuer = TEST_SECRETS.find(({ sealer }) => sealer.verify([body], mac));
  const fields = readFields(body) ?? [];
  return {
    issuer,
    id: fields[1] ?? '',
    issuedAt: Number(fields[4] ?? 0),
    program: fields.at(-1) ?? '',
  };
}

/** The common field of all uploads. */
export interface TicketedUpload {
  readonly ticket: string;
  readonly [other: string]: unknown;
}

/** The body of an upload, in the upload form of its ticket. A ticket of an unknown secret gets the plain form. */
export function writeUpload(upload: TicketedUpload): string {
  const text = JSON.stringify(upload);
  const { issuer, program } = openTicket(upload.ticket);
  const [form] = issuer && program !== '' ? issuer.formsOf(program) : [];
  return form?.write(upload.ticket, text) ?? text;
}

function answersTo(ticket: string): {
  readonly widths: readonly number[];
  readonly sizes: number[];
  readonly questions: string;
} {
  const { issuer, id, issuedAt } = openTicket(ticket);
  const [expected] = issuer?.witnesses.expected(id) ?? [];
  const sizes = [LAYOUT_SIDE, 1, ...Array<number>(24).fill(0)];
  for (const [place, [width, height]] of expected?.images ?? []) {
    sizes.splice(2 + 2 * place, 2, width, height);
  }
  for (const [place, width] of expected?.fonts ?? []) sizes.splice(2 + 2 * place, 1, width);
  const questions = issuer?.pool.issue(id, issuedAt) ?? '';
  return { widths: issuer?.sheets.widths(id)[0] ?? [], sizes, questions };
}

/**
 * Adapts recorded evidence to this ticket: the answers to its sheet, questions and witnesses, and the start time of the
 * document.
 */
export function answerTicket(evidence: Evidence, ticket: string): Evidence {
  visits += 1;
  const { widths, sizes, questions } = answersTo(ticket);
  return {
    ...evidence,
    startedAtMs: evidence.startedAtMs + visits,
    readings: {
      ...evidence.readings,
      cascade: { value: { side: LAYOUT_SIDE, widths: [...widths] } },
      witnesses: { value: { sizes } },
      answers: {
        value: { asked: hashOf(questions), hashes: questions.split('~').map(hashOf) },
      },
    },
  };
}

const PLAYED = { plays: 'probably', streams: true };
const ABSENT = { unread: 'absent' } as const;

/**
 * Adds readings that did not exist when the recording was made. Their values are those of a person's browser with the
 * same engine. So a new reading needs one line here, and no new recordings.
 */
export function completeRecording(recorded: Evidence): Evidence {
  const { agent, tookMs } = recorded;
  const { webdriver } = recorded.readings;
  const isChromium = readPageClaim(agent.userAgent).engine === 'chromium';
  const ofChromium = <T>(value: T) => (isChromium ? { value } : ABSENT);
  const laterReadings: Partial<Readings> = {
    frame: {
      value: {
        ...agent,
        webdriver: valueOfReading(webdriver)?.reported ?? null,
      },
    },
    sharedWorker: {
      value: {
        ...agent,
        fullVersions: valueOfReading(recorded.readings.hints)?.fullVersions ?? null,
      },
    },
    disguises: { value: { proxied: [] } },
    desktop: { value: { points: true, hovers: true, captionFont: '13.3333px Sans' } },
    activation: ofChromium({ before: false, after: false, inputs: 0 }),
    inspector: ofChromium({ stacksFormatted: 0 }),
    flooding: ofChromium({ asked: 201, granted: 200 }),
    partition: ofChromium({ crossed: false }),
    cascade: { value: { side: LAYOUT_SIDE, widths: [] } },
    witnesses: ABSENT,
    answers: ABSENT,
    media: ofChromium({ h264: PLAYED, aac: PLAYED, vp9: PLAYED }),
    fonts: ABSENT,
    painting: { value: { visible: true, frameMs: 16, ticks: 3, watchedMs: 500 } },
  };
  const readings = { ...laterReadings, ...recorded.readings };

  const names = Object.keys(readings) as (keyof Readings)[];
  const defaultTimes = Object.fromEntries(names.map((name) => [name, 0.1])) as Evidence['tookMs'];
  return { ...recorded, readings, tookMs: { ...defaultTimes, ...tookMs } };
}
