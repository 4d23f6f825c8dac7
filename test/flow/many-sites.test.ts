import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Answer, send } from '../kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { curl } from '../kit/visitors.ts';

/** 200 sites, an organisation for each, and ten rules for each organisation, of which one list is for all. */

const SITES = 200;
const RULES = 10;
/** Of the first, the last, and some between. */
const SAMPLE = [0, 1, 57, 100, 199] as const;

let origin: RecordingOrigin;
let product: Product;

function settingsOf(blocked: string): Record<string, unknown> {
  const rulesOf = (site: number) => [
    { name: 'listed', match: { ip: { file: 'networks.txt' } }, verdict: 'block', status: 451 },
    ...Array.from({ length: RULES - 1 }, (_, rule) => ({
      name: `rule ${rule}`,
      match: { host: hostOf(site), path: `/${blocked}-${site}/${rule}/**`, method: 'GET' },
      verdict: 'block',
      status: 404,
    })),
  ];
  const numbers = Array.from({ length: SITES }, (_, site) => site);
  return storySettings(origin.url, {
    top: {
      analytics: undefined,
      listen: { gateway: '127.0.0.1:0' },
      organisations: numbers.map((site) => ({ id: `org-${site}`, rules: rulesOf(site) })),
      sites: numbers.map((site) => ({
        hosts: [hostOf(site)],
        organisation: `org-${site}`,
        origin: origin.url,
      })),
    },
  });
}

function hostOf(site: number): string {
  return `shop-${site}.example`;
}

function visit(site: number, path: string, ip = '198.51.100.7'): Promise<Answer> {
  const headers = { ...curl, host: hostOf(site), 'x-forwarded-for': ip };
  return send(product.addresses.gateway + path, { headers });
}

async function write(name: string, text: string): Promise<void> {
  // By a rename, so that the watch cannot find half a file.
  const temporary = join(product.folder, `.${name}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, join(product.folder, name));
}

const isApplied = () => product.log().includes('"reload_applied"');

beforeAll(async () => {
  origin = await startRecordingOrigin();
  product = await startProduct(storySettings(origin.url, { top: { analytics: undefined } }));
  const networks = Array.from({ length: 5_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);
  await write('networks.txt', networks.join('\n'));
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

test('a reload to many sites answers requests meanwhile, and then each site has its own rules', async () => {
  await write('guard.yaml', stringify(settingsOf('old')));
  let answered = 0;
  while (!isApplied()) {
    const { status } = await send(product.addresses.gateway, {
      headers: { ...curl, host: 'shop.example', 'x-forwarded-for': '198.51.100.7' },
    });
    // The site of before, or no site any more.
    expect([200, 403, 421]).toContain(status);
    answered += 1;
  }
  // The file takes longer to read than one answer takes, so with a blocked thread it would be one or two.
  expect(answered).toBeGreaterThan(20);
  for (const site of SAMPLE) {
    expect((await visit(site, '/')).status).toBe(200);
    expect((await visit(site, `/old-${site}/8/x`)).status).toBe(404);
    expect((await visit(site, `/old-${(site + 1) % SITES}/8/x`)).status).toBe(200);
    expect((await visit(site, `/old-${site}/9/x`)).status).toBe(200);
    expect((await visit(site, '/', '10.19.135.1')).status).toBe(451);
  }
});
