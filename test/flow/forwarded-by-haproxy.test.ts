import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Rig, startGateway } from '../../gateway/src/testing/gateway-rig.ts';
import { startOrigin } from '../../gateway/src/testing/recording-origin.ts';
import { freePort } from '../kit/free-port.ts';
import { send } from '../kit/http.ts';
import { startListening } from '../kit/listening-program.ts';
import { hasHaproxy } from '../kit/tools.ts';

const PROXY = '127.0.0.2';

/**
 * Starts HAProxy in front of a gateway. `line` is the configuration line that sends the gateway the address of the
 * visitor.
 */
async function startBehind(line: string): Promise<{ rig: Rig; url: string }> {
  const origin = await startOrigin();
  const rig = await startGateway({ origin: origin.address, trustedProxies: [PROXY] });
  const folder = await mkdtemp(join(tmpdir(), 'guard-haproxy-'));
  const [port, file] = [await freePort(), join(folder, 'haproxy.cfg')];
  const config = [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 30s',
    '  timeout server 30s',
    'listen shop',
    `  bind 127.0.0.1:${port}`,
    `  ${line}`,
    `  server guard 127.0.0.1:${rig.port} source ${PROXY}`,
    '',
  ];
  await writeFile(file, config.join('\n'));
  const program = await startListening(['haproxy', '-db', '-f', file], port, folder);
  onTestFinished(program.close);
  return { rig, url: `http://127.0.0.1:${port}` };
}

const VISITOR = '127.0.0.1';
const CHOSEN_ADDRESS = '66.249.66.1';
const FORMS = [
  { forwarded: `for=${CHOSEN_ADDRESS};by="` },
  { forwarded: `for=${CHOSEN_ADDRESS};by="\\` },
  { forwarded: 'for="' },
  { forwarded: `for="${CHOSEN_ADDRESS}` },
  { forwarded: `for=${CHOSEN_ADDRESS}, for="x` },
  { forwarded: 'for="a\\"' },
  { forwarded: '"' },
  { 'x-forwarded-for': CHOSEN_ADDRESS },
  { 'x-forwarded-for': CHOSEN_ADDRESS, forwarded: `for=${CHOSEN_ADDRESS};by="` },
];

describe.skipIf(!hasHaproxy)('a visitor who sends a forged address behind HAProxy', () => {
  test.each([
    ['Forwarded', 'http-request add-header Forwarded for=%[src];proto=http'],
    ['X-Forwarded-For', 'option forwardfor'],
  ])('is seen with the real address when HAProxy writes %s', async (_header, line) => {
    const { rig, url } = await startBehind(line);
    const visit = async (headers: Readonly<Record<string, string>>) => {
      await send(url, { headers: { host: 'shop.example', ...headers } });
      return rig.questions.at(-1)?.ip;
    };
    expect(await visit({})).toBe(VISITOR);
    for (const form of FORMS) {
      expect([form, await visit(form)]).toEqual([form, VISITOR]);
    }
  });
});
