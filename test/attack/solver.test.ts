import { beforeEach, describe, expect, test } from 'vitest';
import { visit } from '../kit/visitors/visitors.ts';
import { openPage, person, post, uploadOf } from './challenged-visitor.ts';
import { type Served, serveValidator } from '../spec/serve-validator.ts';

/** These programs have no browser. They answer the challenge with the knowledge of its published code. */

const ABSENT = { unread: 'absent' };
const CURL = 'curl/8.5.0';

let served: Served;

beforeEach(async () => {
  served = await serveValidator({
    rules: '[{ name: all, match: {}, detect: true, challenge: always }]',
  });
});

/** Returns the result of the collector for an answer, and the next decision on the session. */
async function answerWith(
  change: (evidence: typeof person.evidence) => object,
  who = person,
): Promise<readonly [result: string, decision: string]> {
  const page = await openPage(served, { who });
  const { evidence, ...upload } = uploadOf(page, who);
  const { body } = await post(served, { ...upload, evidence: change(evidence) }, who.headers);
  const { decision } = await served.ask(visit({ headers: who.headers, cookie: page.session }));
  return [/"result":"(\w+)"/.exec(body)?.[1] ?? body, decision];
}

describe('completeness of an upload', () => {
  test('a program that sends the layout of the sheet and nothing else does not pass', async () => {
    const sheetAlone = ({ readings, ...rest }: typeof person.evidence) => ({
      ...rest,
      readings: {
        ...Object.fromEntries(Object.keys(readings).map((name) => [name, ABSENT])),
        cascade: readings.cascade,
      },
    });
    expect(await answerWith(sheetAlone)).toEqual(['retry', 'redirect']);
  });

  test('a program whose User-Agent is curl does not pass', async () => {
    const who = { ...person, headers: { ...person.headers, 'user-agent': CURL } };
    const asCurl = (evidence: typeof person.evidence) => ({
      ...evidence,
      agent: { ...evidence.agent, userAgent: CURL },
      readings: { ...evidence.readings, hints: ABSENT, frame: ABSENT, worker: ABSENT },
    });
    expect(await answerWith(asCurl, who)).toEqual(['retry', 'redirect']);
  });

  test('a program that does not send the time of each reading does not pass', async () => {
    const timeless = (evidence: typeof person.evidence) => ({ ...evidence, tookMs: {} });
    expect(await answerWith(timeless)).toEqual(['retry', 'redirect']);
  });
});

describe('questions whose answers are not in the code', () => {
  const widths = (values: readonly number[]) => (evidence: typeof person.evidence) => ({
    ...evidence,
    readings: { ...evidence.readings, cascade: { value: { side: 1000, widths: [...values] } } },
  });

  test('a program that sends the recorded answer of a browser does not pass', async () => {
    const page = await openPage(served);
    const { cascade } = uploadOf(page).evidence.readings;
    const recorded = 'value' in cascade ? cascade.value.widths : [];
    expect(recorded).toHaveLength(12);
    expect(await answerWith(widths(recorded))).toEqual(['reload', 'block']);
  });

  test('a program passes neither with the full width for every box, nor with "could not be read"', async () => {
    expect(await answerWith(widths(Array<number>(12).fill(1000)))).toEqual(['reload', 'block']);
    const withoutReadings = ({ readings, ...rest }: typeof person.evidence) => ({
      ...rest,
      readings: { ...readings, cascade: ABSENT },
    });
    expect(await answerWith(withoutReadings)).toEqual(['retry', 'redirect']);
  });

  test('not prevented: a program that applies the sheet as CSS passes on the page of an API caller, because this page names no files', async () => {
    expect(await answerWith((evidence) => evidence)).toEqual(['reload', 'allow']);
  });
});
