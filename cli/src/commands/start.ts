import { formatProblem, loadSettings } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { openDemo } from '../demo/open-demo.ts';
import { createLog } from '../log.ts';
import { type Running, startGuard } from '../start-guard.ts';
import { print } from '../terminal.ts';
import { type Command, readArguments } from './command.ts';

export const start: Command = {
  name: 'start',
  summary: 'Start the services that the settings file lists under `listen`.',
  help: `Usage: guard start --config FILE [--json]
       guard start --demo [--json]

  --config FILE   the settings file (see guard.yaml in the documentation)
  --demo          a small shop behind the gateway, everything on loopback, keys made on first use
  --json          print one JSON line with the addresses when ready, nothing else

Ready when the line appears, and when GET /ready on the admin listener answers 200.
SIGTERM or Ctrl-C finish the requests under way, write the last events, and end.`,
  async run(args) {
    const parsed = readArguments(args, {
      config: { type: 'string' },
      demo: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const { config, demo, json = false } = parsed?.values ?? {};
    if (!parsed || (config === undefined) === (demo !== true)) {
      print('guard start: give either --config FILE or --demo', 'error');
      return 2;
    }
    return demo === true ? startDemo(json) : startFrom(config ?? '', json);
  },
};

async function startFrom(file: string, json: boolean): Promise<number> {
  const settings = read(file, process.env);
  if (!settings) return 1;
  const running = await launch(settings);
  if (!running) return 1;
  print(json ? readyLine(running) : addressList(running));
  return untilStopped(() => running.close());
}

async function startDemo(json: boolean): Promise<number> {
  const demo = await attempt(openDemo);
  if (!demo) return 1;
  const settings = read(demo.config, { ...process.env, ...demo.env });
  const running = settings && (await launch(settings));
  if (!running) {
    await demo.close();
    return 1;
  }
  print(json ? readyLine(running) : demo.welcome(running.addresses));
  return untilStopped(async () => {
    await running.close();
    await demo.close();
  });
}

function read(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Settings | undefined {
  const result = loadSettings(file, env);
  if (result.kind === 'loaded') return result.settings;
  print(result.problems.map(formatProblem).join('\n'), 'error');
  return undefined;
}

function launch(settings: Settings): Promise<Running | undefined> {
  const ambient = { log: createLog(process.stderr), clock: Date.now };
  return attempt(() => startGuard(settings, ambient));
}

/** What cannot be started says why in one sentence: mostly an address or a file somebody else has. */
async function attempt<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    print(`guard start: ${error instanceof Error ? error.message : String(error)}`, 'error');
    return undefined;
  }
}

function readyLine({ addresses }: Running): string {
  return JSON.stringify({ ready: true, addresses });
}

function addressList({ addresses }: Running): string {
  const lines = Object.entries(addresses).map(([name, at]) => `  ${name.padEnd(10)} ${at}`);
  return ['Guard is ready.', '', ...lines].join('\n');
}

async function untilStopped(close: () => Promise<void>): Promise<number> {
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  await close();
  return 0;
}
