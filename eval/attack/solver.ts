import type { Evidence } from '../../validator/src/challenge/evidence/evidence.ts';
import {
  answering,
  asPageWrites,
  type Ticketed,
} from '../../validator/src/challenge/test-answers.ts';
import { fixture } from '../../validator/src/challenge/test-challenge.ts';
import { doWork } from '../../validator/src/challenge/work/test-work.ts';
import { solveSheet } from './css-solver.ts';
import type { Shot } from './ground.ts';
import type { Field } from './technique.ts';

/** A recorded browser: what its requests look like, and what it once measured. */
export const RECORDED = fixture('human/chromium-headful-xvfb-default-screen.json');

/** A challenge page, and how its visitor loads what it names. */
interface Page {
  readonly ticket: string;
  readonly html: string;
  readonly load: (path: string, headers: Readonly<Record<string, string>>) => Promise<unknown>;
}

/** Makes an upload's evidence of a challenge page. */
export type Solve = (page: Page) => object | Promise<object>;

/** All right, by the secret of this Guard: for passes whose making is not what is measured. */
export const bySecret = ({ ticket }: Page): Evidence => answering(RECORDED.evidence, ticket);

const ABSENT = { unread: 'absent' } as const;

/** Computes the layout from Guard's code, loads nothing, and takes the rest from the recording. */
function computed(page: Page): Evidence {
  const evidence = bySecret(page);
  return { ...evidence, readings: { ...evidence.readings, witnesses: ABSENT } };
}

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
  const sheet = dataOf(page, 'sheet');
  const cascade = { value: { side: 1000, widths: solveSheet(sheet) } };
  return { ...evidence, readings: { ...evidence.readings, cascade } };
};

/** Loads every URL that the page names, and has all measurements right. */
export const loadsAll: Solve = async (page) => {
  const urls = dataOf(page, 'witnesses').matchAll(/url\(([^)]+)\)(;unicode-range)?/g);
  for (const [, url = '', range] of urls) {
    await page.load(url, { accept: '*/*', 'sec-fetch-dest': range ? 'font' : 'image' });
  }
  return bySecret(page);
};

function dataOf({ html }: Page, name: string): string {
  return unescaped(new RegExp(`data-${name}="([^"]+)"`).exec(html)?.[1] ?? '');
}

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
  const load: Page['load'] = (url, headers) =>
    ground.send({ ...shot, path: url, headers: { ...shot.headers, ...headers } });
  const upload = { ticket, session, evidence: await solve({ ticket, html, load }) };
  const verify = (body: Ticketed) =>
    ground.send({ ...shot, path: '/.guard/verify', body: asPageWrites(body) });
  const { body: answer } = await verify(upload);
  const task = /"task":"([^"]+)"/.exec(answer)?.[1];
  if (task !== undefined) await verify({ ...upload, work: doWork(task) });
  await ground.send({ ...shot, path, cookie: session });
  return session;
}
