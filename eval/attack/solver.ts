import { randomInt } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { hashOf } from '../../validator/page-contract/text-hash.ts';
import type { Evidence } from '../../validator/page-contract/evidence.ts';
import {
  answering,
  asPageWrites,
  type Ticketed,
} from '../../validator/src/challenge/testing/answers.ts';
import { fixture } from '../../validator/src/challenge/testing/challenged-visitor.ts';
import { doWork } from '../../validator/src/challenge/work/testing/work.ts';
import { solveSheet } from './css-solver.ts';
import { solveWitnesses } from './witness-solver.ts';
import type { Shot } from './ground.ts';
import type { Field } from './technique.ts';

/** A recorded browser: what its requests look like, and what it once measured. */
export const RECORDED = fixture('human/chromium-headful-xvfb-default-screen.json');

/** A challenge page, and how its visitor loads what it names. */
interface Page {
  readonly ticket: string;
  readonly html: string;
  /** Gives the file, a character for each byte. */
  readonly load: (path: string, headers: Readonly<Record<string, string>>) => Promise<string>;
}

/** Makes an upload's evidence of a challenge page. */
export type Solve = (page: Page) => object | Promise<object>;

/** All right, by the secret of this Guard: for passes whose making is not what is measured. */
export const bySecret = ({ ticket }: Page): Evidence => answering(RECORDED.evidence, ticket);

/** Networks of people with each engine. A page asks five of the twelve questions, and sixteen networks have to answer one. */
const NETWORKS = 80;
const ENGINES = [
  RECORDED,
  fixture('human/firefox-headful.json'),
  fixture('human/safari-mac.json'),
] as const;

/** People with each engine pass at the strict site, as they do within some hours at a site with visitors. */
export async function peoplePass(field: Field): Promise<void> {
  const there: Field = { ...field, site: 'strict', scheme: 'http' };
  for (const [engine, { headers, evidence }] of ENGINES.entries()) {
    const solve: Solve = ({ ticket }) => answering(evidence, ticket);
    for (let network = 0; network < NETWORKS; network++) {
      const over = { headers, from: `127.${210 + engine}.${network}.1` };
      await visit(there, `/people/${engine}/${network}`, solve, over);
    }
  }
}

const ABSENT = { unread: 'absent' } as const;

/** Loads nothing, has the sheet right by the secret, and takes the rest from the recording. */
function unloaded(page: Page): Evidence {
  const evidence = bySecret(page);
  return { ...evidence, readings: { ...evidence.readings, witnesses: ABSENT } };
}

/** Applies the sheet, and gives nothing else. */
export const sheetAlone: Solve = (page) => {
  const { readings, ...rest } = unloaded(page);
  const absent = Object.keys(readings).map((name) => [name, ABSENT]);
  const cascade = { value: { side: 1000, widths: solveSheet(dataOf(page, 'sheet')) } };
  return { ...rest, readings: { ...(Object.fromEntries(absent) as object), cascade } };
};

/** The sheet as the recorded browser measured that of another ticket. */
export const replayed: Solve = (page) => {
  const evidence = unloaded(page);
  const cascade = { value: { side: 1000, widths: Array<number>(12).fill(1000) } };
  return { ...evidence, readings: { ...evidence.readings, cascade } };
};

/** Reads the style sheet as CSS does, without a browser and without the secret. */
export const appliesCss: Solve = (page) => {
  const evidence = unloaded(page);
  const sheet = dataOf(page, 'sheet');
  const cascade = { value: { side: 1000, widths: solveSheet(sheet) } };
  return { ...evidence, readings: { ...evidence.readings, cascade } };
};

/** Reads all of the page as a browser does, and loads what a browser loads: without a browser, and without the secret. */
export const readsAll: Solve = async (page) => {
  const sizes = await solveWitnesses(dataOf(page, 'witnesses'), async (url, kind) =>
    Buffer.from(await page.load(url, { accept: '*/*', 'sec-fetch-dest': kind }), 'latin1'),
  );
  const questions = dataOf(page, 'questions');
  const { evidence } = RECORDED;
  return {
    ...evidence,
    // No two visits are alike.
    startedAtMs: Date.now() - Math.random() * 500,
    readings: {
      ...evidence.readings,
      cascade: { value: { side: 1000, widths: solveSheet(dataOf(page, 'sheet')) } },
      witnesses: { value: { sizes } },
      // What an engine answers it cannot know. Any number has the right form.
      answers: {
        value: {
          asked: hashOf(questions),
          hashes: questions.split('~').map(() => randomInt(2 ** 31)),
        },
      },
    },
  };
};

/** Loads every URL that the page names, and has all measurements right. */
export const loadsAll: Solve = async (page) => {
  const urls = dataOf(page, 'witnesses').matchAll(/url\(([^)]+)\)(;unicode-range)?/g);
  for (const [, url = '', range] of urls) {
    await page.load(url, { accept: '*/*', 'sec-fetch-dest': range ? 'font' : 'image' });
  }
  return bySecret(page);
};

/** What a page is given, by the place of its attributes: their names are other ones each hour. */
function dataOf({ html }: Pick<Page, 'html'>, name: (typeof ATTRIBUTES)[number]): string {
  const [element = ''] =
    /<div(?: [\w-]+="[^"]*")* data-ticket="[^"]*"(?: [\w-]+="[^"]*")*>/.exec(html) ?? [];
  const values = Array.from(element.matchAll(/ data-\w+="([^"]*)"/g), ([, value = '']) => value);
  return unescaped(values[ATTRIBUTES.indexOf(name)] ?? '');
}

const ATTRIBUTES = ['ticket', 'sheet', 'witnesses', 'questions'] as const;

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

/** How a program writes its upload for a page. */
export type Write = (html: string, upload: Ticketed) => string;

/** By the secret of this Guard, for rows in which that is not what is measured. */
const asThePageDoes: Write = (_html, upload) => asPageWrites(upload);

/** As the pages wrote it for which the program was made. */
export const asOnceWritten: Write = (_html, upload) => JSON.stringify(upload);

/** With the function that stands in the page for it, cut out by what every program has in common. */
export const byRunningThePage: Write = (html, upload) => {
  const [code = ''] =
    /var [\w$]+=\{sheet:[^]*?JSON\.stringify\(\{ticket:[^}]*\}\)\};/.exec(html) ?? [];
  const [, name] = /,([\w$]+)=\w+=>\{let \w+=-?\d+/.exec(code) ?? [];
  // The plain script, which pages have before the first program is built.
  if (name === undefined) return JSON.stringify(upload);
  const context = { TextEncoder, btoa, upload };
  return String(runInNewContext(`${code};${name}(upload)`, context));
};

/** One visit with a challenge: page, upload, work where it is asked for, page. Gives the session. */
export async function visit(
  field: Field,
  path: string,
  solve: Solve,
  over: Partial<Shot> = {},
  write: Write = asThePageDoes,
): Promise<string> {
  const { ground, site, scheme } = field;
  const shot = { site, scheme, headers: { ...RECORDED.headers, ...over.headers }, ...over };
  const { body: html, session } = await ground.send({ ...shot, path });
  const ticket = /data-ticket="([^"]+)"/.exec(html)?.[1];
  if (ticket === undefined) return session;
  const load: Page['load'] = async (url, headers) => {
    const file = { ...shot, path: url, headers: { ...shot.headers, ...headers }, isFile: true };
    return (await ground.send(file)).body;
  };
  const upload = { ticket, session, evidence: await solve({ ticket, html, load }) };
  const verify = (body: Ticketed) =>
    ground.send({ ...shot, path: '/.guard/verify', body: write(html, body) });
  const { body: answer } = await verify(upload);
  const task = /"task":"([^"]+)"/.exec(answer)?.[1];
  if (task !== undefined) await verify({ ...upload, work: doWork(task) });
  await ground.send({ ...shot, path, cookie: session });
  return session;
}
