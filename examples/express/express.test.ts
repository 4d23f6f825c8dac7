import { expect, onTestFinished, test } from 'vitest';
import { ADDRESS, describeExampleApp, withoutHost } from '../../test/kit/examples/example-app.ts';
import { startProgram } from '../../test/kit/examples/example-program.ts';
import { pathOf, startFakeValidator } from '../../test/kit/examples/example-validator.ts';
import { type Answer, poll, send } from '../../test/kit/http.ts';
import { GOOGLEBOT_IP, googlebot, HOME_IP } from '../../test/kit/visitors/visitors.ts';

const FOLDER = 'examples/express';

describeExampleApp({
  alone: [process.execPath, `${FOLDER}/app.mjs`],
  withGuard: [process.execPath, `${FOLDER}/start.mjs`],
  more(url) {
    test('contract 1.3: Googlebot passes from an address of Google, and a client with the name of Googlebot from another address does not pass', async () => {
      const headers = withoutHost(googlebot);
      const from = (ip: string) => send(url(), { headers: { ...headers, 'x-forwarded-for': ip } });
      const allowed = ({ body }: Answer) => body.includes('Guard said: allow.');
      const real = await poll(() => from(GOOGLEBOT_IP), allowed);
      expect([real.status, real.headers['set-cookie']]).toEqual([200, undefined]);
      const denied = ({ status }: Answer) => status === 403;
      expect((await poll(() => from(HOME_IP), denied)).body).toContain('<html');
      // Without an address the validator rejects the question.
      expect((await poll(() => from('unknown'), denied)).body).toBe('Request denied.\n');
    });
  },
});

test('contract 4.1 rule 1: an unprotected path leads to no question, and all questions use the same connection', async () => {
  const fake = await startFakeValidator();
  const app = startProgram(process.execPath, [`${FOLDER}/app.mjs`], {
    GUARD_VALIDATE_URL: fake.url,
    GUARD_SECRET_KEY: 'sk_express_connections',
    PORT: '0',
  });
  onTestFinished(async () => {
    await app.stop();
    await fake.close();
  });
  const [url] = await app.says(ADDRESS);
  expect((await send(`${url}/assets/style.css`)).status).toBe(200);
  expect(fake.asked).toEqual([]);
  for (let count = 0; count < 20; count += 1) await send(url + pathOf('allows'));
  expect(fake.asked).toHaveLength(20);
  // There is usually one connection. On a busy machine an answer can be too late, and this ends the connection.
  expect(fake.connections()).toBeLessThan(10);
});
