import { randomInt } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { hashOf } from '../../validator/page-contract/text-hash.ts';
import type { Evidence } from '../../validator/page-contract/evidence.ts';
import {
  answerTicket,
  writeUpload,
  type TicketedUpload,
} from '../../validator/src/challenge/testing/answers.ts';
import { readFixture } from '../../validator/src/challenge/testing/challenged-visitor.ts';
import { doWork } from '../../validator/src/challenge/work/testing/work.ts';
import { solveSheet } from './css-solver.ts';
import { solveWitnesses } from './witness-solver.ts';
import type { AttackRequest } from './testbed.ts';
import type { Attack } from './technique.ts';

/** A recording of a browser: the header fields of its requests, and its measurements. */
export const RECORDED = readFixture('human/chromium-headful-xvfb-default-screen.json');

/** A challenge page, and a function that loads the files of the page. */
interface Page {
  readonly ticket: string;
  readonly html: string;
  /** Returns the file as a text with one character for each byte. */
  readonly load: (path: string, headers: Readonly<Record<string, string>>) => Promise<string>;
}

/** Makes the evidence of an upload for a challenge page. */
export type Solve = (page: Page) => object | Promise<object>;

/** Makes correct evidence with the secret of this Guard, for rows that do not measure the creation of passes. */
export const solveWithSecret = ({ ticket }: Page): Evidence =>
  answerTicket(RECORDED.evidence, ticket);

/**
 * The number of networks from which people with each engine visit. A page asks five of the twelve questions, and each
 * question needs answers from sixteen networks.
 */
const NETWORKS = 80;
const ENGINES = [
  RECORDED,
  readFixture('human/firefox-headful.json'),
  readFixture('human/safari-mac.json'),
] as const;

/**
 * Lets people with each engine pass at the strict site, so that Guard learns their answers. On a site with visitors
 * this takes some hours.
 */
export async function letPeoplePass(attack: Attack): Promise<void> {
  const strictAttack: Attack = { ...attack, site: 'strict', scheme: 'http' };
  for (const [engine, { headers, evidence }] of ENGINES.entries()) {
    const solve: Solve = ({ ticket }) => answerTicket(evidence, ticket);
    for (let network = 0; network < NETWORKS; network++) {
      const changes = { headers, from: `127.${210 + engine}.${network}.1` };
      await visit(strictAttack, `/people/${engine}/${network}`, solve, changes);
    }
  }
}

const ABSENT = { unread: 'absent' } as const;

/**
 * Makes evidence and loads no files: the layout of the sheet comes from the secret, and the rest from the recording.
 */
function withoutWitnesses(page: Page): Evidence {
  const evidence = solveWithSecret(page);
  return { ...evidence, readings: { ...evidence.readings, witnesses: ABSENT } };
}

/** Solves only the sheet, and sends no other reading. */
export const solveSheetOnly: Solve = (page) => {
  const { readings, ...rest } = withoutWitnesses(page);
  const absent = Object.keys(readings).map((name) => [name, ABSENT]);
  const cascade = { value: { side: 1000, widths: solveSheet(dataOf(page, 'sheet')) } };
  return { ...rest, readings: { ...(Object.fromEntries(absent) as object), cascade } };
};

/** Sends the widths that the recorded browser measured for the sheet of another ticket. */
export const replayRecording: Solve = (page) => {
  const evidence = withoutWitnesses(page);
  const cascade = { value: { side: 1000, widths: Array<number>(12).fill(1000) } };
  return { ...evidence, readings: { ...evidence.readings, cascade } };
};

/** Solves the sheet without a browser and without the secret. */
export const solveSheetOfPage: Solve = (page) => {
  const evidence = withoutWitnesses(page);
  const sheet = dataOf(page, 'sheet');
  const cascade = { value: { side: 1000, widths: solveSheet(sheet) } };
  return { ...evidence, readings: { ...evidence.readings, cascade } };
};

/**
 * Solves the sheet and the witnesses, and loads the same files as a browser, without a browser and without the secret.
 */
export const solveWholePage: Solve = async (page) => {
  const sizes = await solveWitnesses(dataOf(page, 'witnesses'), async (url, kind) =>
    Buffer.from(await page.load(url, { accept: '*/*', 'sec-fetch-dest': kind }), 'latin1'),
  );
  const questions = dataOf(page, 'questions');
  const { evidence } = RECORDED;
  return {
    ...evidence,
    // Each visit starts at another time.
    startedAtMs: Date.now() - Math.random() * 500,
    readings: {
      ...evidence.readings,
      cascade: { value: { side: 1000, widths: solveSheet(dataOf(page, 'sheet')) } },
      witnesses: { value: { sizes } },
      // Only a browser engine has the right answers. But any number has the right form.
      answers: {
        value: {
          asked: hashOf(questions),
          hashes: questions.split('~').map(() => randomInt(2 ** 31)),
        },
      },
    },
  };
};

/** Loads every URL of the page, and sends correct measurements. */
export const loadEveryUrl: Solve = async (page) => {
  const urls = dataOf(page, 'witnesses').matchAll(/url\(([^)]+)\)(;unicode-range)?/g);
  for (const [, url = '', range] of urls) {
    await page.load(url, { accept: '*/*', 'sec-fetch-dest': range ? 'font' : 'image' });
  }
  return solveWithSecret(page);
};

/** Reads an attribute of the page's data by its position, because the names of the attributes change each hour. */
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

/** Writes the upload for a page. */
export type Write = (html: string, upload: TicketedUpload) => string;

/** Writes the upload with the secret of this Guard, for rows that do not measure the writing. */
const writeWithSecret: Write = (_html, upload) => writeUpload(upload);

/** Writes the upload in the form of older pages, for which the program was made. */
export const writeInOldForm: Write = (_html, upload) => JSON.stringify(upload);

/**
 * Writes the upload with the function of the page. Finds the function by text that all page programs have in common.
 */
export const writeWithPageCode: Write = (html, upload) => {
  const [code = ''] =
    /var [\w$]+=\{sheet:[^]*?JSON\.stringify\(\{ticket:[^}]*\}\)\};/.exec(html) ?? [];
  const [, name] = /,([\w$]+)=\w+=>\{let \w+=-?\d+/.exec(code) ?? [];
  // Before the first page program is built, pages have a plain script.
  if (name === undefined) return JSON.stringify(upload);
  const context = { TextEncoder, btoa, upload };
  return String(runInNewContext(`${code};${name}(upload)`, context));
};

/** Makes one visit with a challenge: page, upload, work if it is required, page. Returns the session. */
export async function visit(
  attack: Attack,
  path: string,
  solve: Solve,
  changes: Partial<AttackRequest> = {},
  write: Write = writeWithSecret,
): Promise<string> {
  const { testbed, site, scheme } = attack;
  const request = {
    site,
    scheme,
    headers: { ...RECORDED.headers, ...changes.headers },
    ...changes,
  };
  const { body: html, session } = await testbed.send({ ...request, path });
  const ticket = /data-ticket="([^"]+)"/.exec(html)?.[1];
  if (ticket === undefined) return session;
  const load: Page['load'] = async (url, headers) => {
    const file = {
      ...request,
      path: url,
      headers: { ...request.headers, ...headers },
      isFile: true,
    };
    return (await testbed.send(file)).body;
  };
  const upload = { ticket, session, evidence: await solve({ ticket, html, load }) };
  const verify = (body: TicketedUpload) =>
    testbed.send({ ...request, path: '/.guard/verify', body: write(html, body) });
  const { body: answer } = await verify(upload);
  const task = /"task":"([^"]+)"/.exec(answer)?.[1];
  if (task !== undefined) await verify({ ...upload, work: doWork(task) });
  await testbed.send({ ...request, path, cookie: session });
  return session;
}
