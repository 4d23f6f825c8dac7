import { describe, expect, onTestFinished, test } from 'vitest';
import { describeExampleApp } from '../../test/kit/examples/example-app.ts';
import { startProgram } from '../../test/kit/examples/example-program.ts';
import { pathOf, startFakeValidator } from '../../test/kit/examples/example-validator.ts';
import { poll } from '../../test/kit/http.ts';
import { hasPython } from '../../test/kit/tools.ts';

const FOLDER = 'examples/python-wsgi';

/** Calls the middleware in one thread for each path of the command line. */
const IN_ONE_THREAD = `
import os, sys
from guard_wsgi import Guard
app = Guard(lambda environ, start: [b"passed"], os.environ["GUARD_VALIDATE_URL"], "sk_one_thread")
for path in sys.argv[1:]:
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "HTTP_HOST": "shop.example",
               "wsgi.url_scheme": "http", "REMOTE_ADDR": "203.0.113.7"}
    app(environ, lambda *_: None)
    print(environ.get("guard.answer", {}).get("decision"))
`;

describe.skipIf(!hasPython)('the WSGI example', () => {
  describeExampleApp({
    alone: ['python3', `${FOLDER}/app.py`],
    withGuard: [process.execPath, `${FOLDER}/start.mjs`],
  });

  test('SIGINT to the starting process also ends the application', async () => {
    const program = startProgram(process.execPath, [`${FOLDER}/start.mjs`], { PORT: '0' });
    await program.says(/The app is at/);
    // The promise resolves when the last process that writes to the output has ended.
    expect((await program.stop('SIGINT')).code).toBe(0);
  });

  test('a thread reuses its connection, and opens a new connection when the old one was closed', async () => {
    const fake = await startFakeValidator();
    onTestFinished(() => fake.close());
    const paths = ['allows', 'allows', 'cuts the connection', 'allows'].map(pathOf);
    const env = { GUARD_VALIDATE_URL: fake.url, PYTHONPATH: FOLDER };
    const ask = async () => {
      const before = fake.connections();
      const { stdout } = await startProgram(
        'python3',
        ['-c', IN_ONE_THREAD, ...paths],
        env,
      ).ended();
      return { stdout, connections: fake.connections() - before };
    };
    const expected = 'allow\nallow\nNone\nallow\n';
    const { connections } = await poll(ask, ({ stdout }) => stdout === expected);
    // There is one connection for two answers, one for the retry after the close, and one for the last question.
    expect(connections).toBe(3);
  });
});
