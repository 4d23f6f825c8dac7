import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { type Answer, poll, send } from '../kit/http.ts';
import { logLinesOf } from '../kit/product/log-lines.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { curl } from '../kit/visitors/visitors.ts';

/**
 * These tests reload settings while visitors come: settings that switch off the protection of one site in an emergency,
 * and a file with 200 sites.
 */

const SETTINGS = {
  rules: [{ name: 'closed', match: {}, verdict: 'block' }],
  sites: [{ hosts: ['other.example'] }],
  top: { analytics: undefined },
};
const testbed = useProduct(SETTINGS);

/** Replaces a file of the product. With a rename, Guard never reads an incomplete file. */
async function write(name: string, text: string): Promise<void> {
  const { folder } = testbed.product;
  await writeFile(join(folder, `.${name}.tmp`), text);
  await rename(join(folder, `.${name}.tmp`), join(folder, name));
}

const appliedReloads = () => metricOf(testbed.product, 'guard_reloads_total{outcome="applied"}');

/** Writes the settings with these lines for the first site, and waits for the reload. */
async function reloadWith(site: Readonly<Record<string, unknown>>): Promise<void> {
  const countBefore = await appliedReloads();
  await write('guard.yaml', stringify(productSettings(testbed.origin.url, { ...SETTINGS, site })));
  process.kill(testbed.product.pid, 'SIGHUP');
  await poll(appliedReloads, (now) => now > countBefore);
}

test.each([
  ['protect: []', { protect: [] }],
  ['observe: true', { observe: true }],
  ['both lines', { protect: [], observe: true }],
])(
  'a reload with %s under load lets every visitor of one site pass, and drops no connection',
  async (_name, lines) => {
    await reloadWith({});
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const visitors = 4;
    const ports = new Set<number | undefined>();
    const answers: string[] = [];
    let isDone = false;

    async function ask(host: string): Promise<number | undefined> {
      const call = request(testbed.product.addresses.gateway, { agent, headers: { host } }).end();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      ports.add(call.socket?.localPort);
      answer.resume();
      await once(answer, 'end');
      return answer.statusCode;
    }
    async function visit(host: string): Promise<void> {
      while (!isDone) answers.push(`${host} ${await ask(host)}`);
    }

    const hosts = ['shop.example', 'shop.example', 'shop.example', 'other.example'];
    const streams = hosts.map(visit);
    await poll(
      () => Promise.resolve(answers.length),
      (count) => count > 40,
    );
    await reloadWith(lines);
    const firstIndex = answers.length;
    await poll(
      () => Promise.resolve(answers.length - firstIndex),
      (count) => count > 80,
    );
    isDone = true;
    await Promise.all(streams);

    // Each visitor can have one request under way when the new settings come into force.
    const after = answers.slice(firstIndex + visitors);
    expect([...new Set(answers)].toSorted()).toEqual([
      'other.example 403',
      'shop.example 200',
      'shop.example 403',
    ]);
    expect([...new Set(after)].toSorted()).toEqual(['other.example 403', 'shop.example 200']);
    expect(ports.size).toBe(visitors);
  },
);

const SITES = 200;
const RULES = 10;
/** The first site, the last site, and some sites between them. */
const SAMPLE = [0, 1, 57, 100, 199] as const;

/** Each site has an organisation with ten rules. All organisations use the same list of addresses. */
function settingsOf(blockedPath: string): Record<string, unknown> {
  const rulesOf = (site: number) => [
    { name: 'listed', match: { ip: { file: 'networks.txt' } }, verdict: 'block', status: 451 },
    ...Array.from({ length: RULES - 1 }, (_, rule) => ({
      name: `rule ${rule}`,
      match: { host: hostOf(site), path: `/${blockedPath}-${site}/${rule}/**`, method: 'GET' },
      verdict: 'block',
      status: 404,
    })),
  ];
  const siteNumbers = Array.from({ length: SITES }, (_, site) => site);
  return productSettings(testbed.origin.url, {
    top: {
      analytics: undefined,
      listen: { gateway: '127.0.0.1:0' },
      organisations: siteNumbers.map((site) => ({ id: `org-${site}`, rules: rulesOf(site) })),
      sites: siteNumbers.map((site) => ({
        hosts: [hostOf(site)],
        organisation: `org-${site}`,
        origin: testbed.origin.url,
      })),
    },
  });
}

function hostOf(site: number): string {
  return `shop-${site}.example`;
}

function visitSite(site: number, path: string, ip = '198.51.100.7'): Promise<Answer> {
  const headers = { ...curl, host: hostOf(site), 'x-forwarded-for': ip };
  return send(testbed.product.addresses.gateway + path, { headers });
}

test('Guard answers requests during a reload to many sites, and then each site has its own rules', async () => {
  const networks = Array.from({ length: 5_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);
  await write('networks.txt', networks.join('\n'));
  const countBefore = logLinesOf(testbed.product, 'reload_applied').length;
  await write('guard.yaml', stringify(settingsOf('old')));
  let answerCount = 0;
  while (logLinesOf(testbed.product, 'reload_applied').length === countBefore) {
    const { status } = await send(testbed.product.addresses.gateway, {
      headers: { ...curl, host: 'shop.example', 'x-forwarded-for': '198.51.100.7' },
    });
    // The answer is that of the site from before the reload, or 421 for an unknown site.
    expect([200, 403, 421]).toContain(status);
    answerCount += 1;
  }
  // Guard reads the file for longer than one answer takes. If reading blocked the thread, there would be one or two
  // answers.
  expect(answerCount).toBeGreaterThan(20);
  for (const site of SAMPLE) {
    expect((await visitSite(site, '/')).status).toBe(200);
    expect((await visitSite(site, `/old-${site}/8/x`)).status).toBe(404);
    expect((await visitSite(site, `/old-${(site + 1) % SITES}/8/x`)).status).toBe(200);
    expect((await visitSite(site, `/old-${site}/9/x`)).status).toBe(200);
    expect((await visitSite(site, '/', '10.19.135.1')).status).toBe(451);
  }
});
