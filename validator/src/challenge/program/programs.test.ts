import { gzipSync } from 'node:zlib';
import { createContext, runInContext } from 'node:vm';
import { expect, describe, test } from 'vitest';
import { seededRandom } from '../../../../test/kit/seeded-random.ts';
import { buildPrograms, loadBrowserBundle } from '../../../browser/build.ts';
import type { Program } from '../../../page-contract/program.ts';
import { createUploadForms, Programs } from './programs.ts';

const SECRETS = ['the first secret of the tests'];
const HOUR_MS = 3_600_000;
const BUILT = ['one', 'two', 'three', 'four'];

/** Creates a pool of programs with its own clock and this function that builds the scripts. */
function createPool(build: () => Promise<readonly string[]>) {
  const time = { now: 500_000 * HOUR_MS };
  const failures: unknown[] = [];
  const programs = new Programs({
    secrets: SECRETS,
    script: 'plain',
    clock: () => time.now,
    build,
    onFailure: (error) => failures.push(error),
  });
  /** Requests this number of pages, with time to build between them. */
  const requestPages = async (count: number): Promise<Program[]> => {
    const requestedPrograms: Program[] = [];
    for (let page = 0; page < count; page++) {
      requestedPrograms.push(programs.next());
      await new Promise((resolve) => setImmediate(resolve));
    }
    return requestedPrograms;
  };
  return { failures, requestPages, programs, time };
}

const idsOf = (programs: readonly Program[]) => new Set(programs.map(({ id }) => id));

describe('17.3 page programs that change each hour', () => {
  test('pages get the plain script until the programs are built, then one of the four programs of this hour', async () => {
    const { requestPages } = createPool(() => Promise.resolve(BUILT));
    const [first] = await requestPages(1);
    expect(first).toMatchObject({ id: '', script: Buffer.from('plain') });
    await requestPages(8);
    expect(idsOf(await requestPages(40)).size).toBe(4);
  });

  test('the next hour has new programs, and no page waits for their build', async () => {
    const { requestPages, time } = createPool(() => Promise.resolve(BUILT));
    await requestPages(9);
    const before = idsOf(await requestPages(40));
    time.now += HOUR_MS;
    const [firstOfNextHour] = await requestPages(1);
    expect(before).toContain(firstOfNextHour?.id);
    await requestPages(8);
    const after = idsOf(await requestPages(40));
    expect(after.size).toBe(4);
    for (const id of after) expect(before).not.toContain(id);
  });

  test('a failed build is reported once an hour, and pages keep their programs', async () => {
    const { requestPages, failures, time } = createPool(() =>
      Promise.reject(new Error('no esbuild')),
    );
    const requestedPrograms = await requestPages(20);
    expect(idsOf(requestedPrograms)).toEqual(new Set(['']));
    expect(failures).toHaveLength(1);
    time.now += HOUR_MS;
    await requestPages(20);
    expect(failures).toHaveLength(2);
  });

  test('an instance with the same secret can read the upload of a page, and an instance with another secret cannot', () => {
    const text = '{"ticket":"t","evidence":"é 漢"}';
    const ids = Array.from({ length: 50 }, (_, at) => `a1.${at}`);
    for (const id of ids) {
      const [form] = createUploadForms(SECRETS)(id);
      const [formOfSameSecret] = createUploadForms(SECRETS)(id);
      const [formOfAnotherSecret] = createUploadForms(['another secret'])(id);
      const body = JSON.parse(form?.write('t', text) ?? '') as object;
      expect(formOfSameSecret?.read('t', body)).toBe(text);
      expect(formOfSameSecret?.read('another ticket', body)).not.toBe(text);
      expect(formOfAnotherSecret?.read('t', body)).not.toBe(text);
      expect(JSON.stringify(body)).not.toContain('evidence');
    }
  });

  test('an upload form never throws', () => {
    const random = seededRandom();
    const [form] = createUploadForms(SECRETS)('a1.0');
    const names = Object.keys(JSON.parse(form?.write('t', '{}') ?? '{}') as object);
    const values = ['', '=', 'A', '%%%', 'AAAA', null, 1, [], {}, 'é'];
    for (let round = 0; round < 2_000; round++) {
      const body = Object.fromEntries(
        names.map((name) => [name, values[random.below(values.length)]]),
      );
      expect(['string', 'undefined']).toContain(typeof form?.read('t', body));
    }
  });

  test('two programs are different scripts, and the form of each reads its uploads', async () => {
    const formsOf = createUploadForms(SECRETS);
    const bothForms = ['b7.0', 'b7.1'].map((id) => formsOf(id)[0]);
    const scripts = await buildPrograms(
      bothForms.map((form) => ({
        form: form?.source ?? '',
        shuffle: (lines) => [...lines].reverse(),
      })),
    );
    for (const form of bothForms) {
      if (!form) throw new Error('no form');
      const context = createContext({ TextEncoder, btoa, Math, JSON, String });
      const code = `${form.source.replaceAll('export const', 'globalThis.x=0;const')};write`;
      const writeUpload = runInContext(code, context) as (upload: object) => string;
      const upload = { ticket: 'of.a-page', evidence: 'é'.repeat(300) };
      const body = writeUpload(upload);
      expect(form.read(upload.ticket, JSON.parse(body) as object)).toBe(JSON.stringify(upload));
      expect(body).toBe(form.write(upload.ticket, JSON.stringify(upload)));
    }
    expect(new Set([...scripts, loadBrowserBundle().interstitial]).size).toBe(3);
    // The whole page must stay below 15 kB (challenge.md), and half of it is text in the visitor's language.
    for (const script of scripts) expect(gzipSync(script).length).toBeLessThan(9_500);
  });
});
