import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { poll, send } from '../kit/http.ts';
import { storySettings } from '../kit/story-settings.ts';
import { useProduct } from '../kit/use-product.ts';

/** The lines that switch one site off in an emergency, while visitors come. */

const OVER = { rules: [{ name: 'closed', match: {}, verdict: 'block' }] };

/** The story's site, and another one that stays switched on. */
function settings(origin: string, site: Readonly<Record<string, unknown>>) {
  const written = storySettings(origin, { ...OVER, site });
  const other = { hosts: ['other.example'], organisation: 'acme', origin };
  return { ...written, sites: [...(written['sites'] as unknown[]), other] };
}

const story = useProduct(OVER);

async function write(site: Readonly<Record<string, unknown>>): Promise<void> {
  const { product, origin } = story;
  const applied = async () => {
    const { body } = await send(`${product.addresses.admin}/metrics`);
    return Number(/^guard_reloads_total\{outcome="applied"\} (\d+)/m.exec(body)?.[1] ?? 0);
  };
  const before = await applied();
  const temporary = join(product.folder, '.guard.yaml.tmp');
  await writeFile(temporary, stringify(settings(origin.url, site)));
  await rename(temporary, join(product.folder, 'guard.yaml'));
  process.kill(product.pid, 'SIGHUP');
  await poll(applied, (now) => now > before);
}

test.each([
  ['protect: []', { protect: [] }],
  ['observe: true', { observe: true }],
  ['both lines', { protect: [], observe: true }],
])('%s lets every visitor of one site pass, under load, and drops none', async (_name, lines) => {
  await write({});
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const visitors = 4;
  const ports = new Set<number | undefined>();
  const answers: string[] = [];
  let done = false;

  async function ask(host: string): Promise<number | undefined> {
    const sent = request(story.product.addresses.gateway, { agent, headers: { host } }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    ports.add(sent.socket?.localPort);
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode;
  }
  async function visit(host: string): Promise<void> {
    while (!done) answers.push(`${host} ${await ask(host)}`);
  }

  const hosts = ['shop.example', 'shop.example', 'shop.example', 'other.example'];
  const streams = hosts.map(visit);
  await poll(
    () => Promise.resolve(answers.length),
    (count) => count > 40,
  );
  await write(lines);
  const from = answers.length;
  await poll(
    () => Promise.resolve(answers.length - from),
    (count) => count > 80,
  );
  done = true;
  await Promise.all(streams);

  // Each visitor can have had one request under way when the settings came into force.
  const after = answers.slice(from + visitors);
  expect([...new Set(answers)].toSorted()).toEqual([
    'other.example 403',
    'shop.example 200',
    'shop.example 403',
  ]);
  expect([...new Set(after)].toSorted()).toEqual(['other.example 403', 'shop.example 200']);
  expect(ports.size).toBe(visitors);
});
