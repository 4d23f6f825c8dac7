import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '@guard/config/settings/schema';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { testFolder } from '../kit/test-folder.ts';
import { hasOpenssl } from '../kit/tools.ts';
import { createMetrics } from '../../server/src/metrics/metrics.ts';
import { createChangeText, createReadText } from '../../server/src/store/shared-text.ts';
import {
  type AcmeState,
  NO_STATE,
  openState,
  sealState,
  withCertificate,
} from '../../server/src/certificates/acme-state.ts';
import { orderCertificates } from '../../server/src/certificates/order-certificates.ts';
import { watchCertificates } from '../../server/src/certificates/watch-certificates.ts';

const HOSTS = ['shop.example', 'blog.example'];
const SECRET = ['a-secret-of-the-test-0123456789'];
/** No server listens at this URL. */
const DIRECTORY = 'https://127.0.0.1:1/dir';
const folder = testFolder();
let state: AcmeState = NO_STATE;
let number = 0;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Starts the certificate service of an instance. Its own file has a certificate for each of two hosts. */
async function instance(clock = () => Date.now()) {
  const file = join(folder, `${++number}.sealed`);
  await writeFile(file, sealState(SECRET, state));
  const place = { place: { kind: 'file', file }, name: 'acme', redis: undefined } as const;
  const acme = { email: 'ops@shop.example', accept_terms: true, directory: DIRECTORY };
  const settings = () =>
    ({
      tls: { certificates: [], acme },
      sites: [{ hosts: HOSTS }],
      secret: SECRET,
      listen: {},
    }) as unknown as Settings;
  const log: string[] = [];
  const context = {
    settings,
    clock,
    log: (_level: string, event: string) => log.push(event),
    metrics: createMetrics(),
  };
  const certificateWatch = await watchCertificates({
    ...context,
    read: createReadText(place, 1024 ** 2),
  });
  const close = orderCertificates({
    ...context,
    watcher: certificateWatch,
    change: createChangeText(place, 1),
  });
  return {
    file,
    log,
    shown: () => [...certificateWatch.certificates().keys()],
    kept: async () => {
      const reading = await createReadText(place, 1024 ** 2)();
      const openedState = reading.kind === 'read' ? openState(SECRET, reading.text) : undefined;
      return openedState?.certificates.map(({ host }) => host);
    },
    close: async () => {
      await close();
      await certificateWatch.close();
    },
  };
}

describe.skipIf(!hasOpenssl)(
  'the shared text of all certificates is lost or changed by another program',
  () => {
    beforeAll(() => {
      for (const host of HOSTS) {
        const { cert, key } = selfSigned(host);
        const pem = { cert: String(cert), key: String(key) };
        state = withCertificate(state, { host, directory: DIRECTORY, ...pem }, HOSTS);
      }
    });

    test('after the text was lost, as in a Redis without its data, Guard still uses its certificates, writes them back and orders none', async () => {
      const { file, log, shown, kept, close } = await instance();
      await rm(file);
      await vi.waitFor(async () => expect(await kept()).toEqual(HOSTS), 45_000);
      expect(shown()).toEqual(HOSTS);
      expect(log).not.toContain('certificates_awaited');
      await close();
    });

    test('an order of a certificate that begins while the text is not readable keeps the certificates of all hosts', async () => {
      let now = Date.now();
      const { file, log, kept, shown, close } = await instance(() => now);
      await writeFile(file, 'written by another program');
      await vi.waitFor(() => expect(log).toContain('certificates_unread'), 45_000);
      // All certificates are due for renewal, and the authority is away.
      now += 10 * 365 * 86_400_000;
      await vi.waitFor(() => expect(log).toContain('certificate_not_issued'), 45_000);
      expect(await kept()).toEqual(HOSTS);
      expect(shown()).toEqual(HOSTS);
      await close();
    });
  },
);
