import type { Evidence } from '../../validator/src/challenge/evidence/evidence.ts';
import { answering } from '../../validator/src/challenge/test-answers.ts';
import { fixture } from '../../validator/src/challenge/test-challenge.ts';
import { doWork } from '../../validator/src/challenge/work/test-work.ts';
import { solveSheet } from './css-solver.ts';
import type { Shot } from './ground.ts';
import type { Field } from './technique.ts';

/** A recorded browser: what its requests look like, and what it once measured. */
export const RECORDED = fixture('human/chromium-headful-xvfb-default-screen.json');

/** Makes an upload's evidence of a challenge page. */
export type Solve = (page: { readonly ticket: string; readonly html: string }) => object;

/** Computes the layout from Guard's code, and takes the rest from the recording. */
const computed = ({ ticket }: { readonly ticket: string }): Evidence =>
  answering(RECORDED.evidence, ticket);

const ABSENT = { unread: 'absent' };

export const layoutAlone: Solve = (page) => {
  const { readings, ...rest } = computed(page);
  const absent = Object.keys(readings).map((name) => [name, ABSENT]);
  const { layout } = readings;
  return { ...rest, readings: { ...(Object.fromEntries(absent) as object), layout } };
};

/** The sheet as the recorded browser measured that of another ticket. */
export const replayed: Solve = (page) => {
  const evidence = computed(page);
  const cascade = { value: { side: 1000, widths: Array<number>(12).fill(1000) } };
  return { ...evidence, readings: { ...evidence.readings, cascade } };
};

/** Reads the style sheet as CSS does, without a browser and without the secret. */
export const appliesCss: Solve = (page) => {
  const evidence = computed(page);
  const sheet = unescaped(/data-sheet="([^"]+)"/.exec(page.html)?.[1] ?? '');
  const cascade = { value: { side: 1000, widths: solveSheet(sheet) } };
  return { ...evidence, readings: { ...evidence.readings, cascade } };
};

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  amp: '&',
};

function unescaped(html: string): string {
  return html.replace(/&(\w+|#\d+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** One visit with a challenge: page, upload, work where it is asked for, page. Gives the session. */
export async function visit(
  field: Field,
  path: string,
  solve: Solve,
  over: Partial<Shot> = {},
): Promise<string> {
  const { ground, site, scheme } = field;
  const shot = { site, scheme, headers: { ...RECORDED.headers, ...over.headers }, ...over };
  const { body: html, session } = await ground.send({ ...shot, path });
  const ticket = /data-ticket="([^"]+)"/.exec(html)?.[1];
  if (ticket === undefined) return session;
  const upload = { ticket, session, evidence: solve({ ticket, html }) };
  const verify = (body: object) =>
    ground.send({ ...shot, path: '/.guard/verify', body: JSON.stringify(body) });
  const { body: answer } = await verify(upload);
  const task = /"task":"([^"]+)"/.exec(answer)?.[1];
  if (task !== undefined) await verify({ ...upload, work: doWork(task) });
  await ground.send({ ...shot, path, cookie: session });
  return session;
}
