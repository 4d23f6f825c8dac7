import { formatProblem, loadSettings } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { openDemo } from '../demo/open-demo.ts';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { createReloader } from '../reload/reloader.ts';
import { type Running, startGuard } from '../start-guard.ts';
import { calledWrongly, print } from '../terminal.ts';
import { warnOfRoot } from '../warn-of-root.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTION, type Options, readCommandLine } from './options.ts';

type Launched = Pick<Running, 'addresses' | 'close'>;

const OPTIONS = {
  config: { ...CONFIG_OPTION, help: 'the settings file (see guard.yaml in the documentation)' },
  demo: {
    type: 'boolean',
    help: 'a small shop behind the gateway, everything on loopback, keys made on first use',
  },
  'no-watch': {
    type: 'boolean',
    help: 'read the settings again on SIGHUP only, not when a file changes',
  },
  json: {
    type: 'boolean',
    help: 'print one JSON line with the addresses when ready, nothing else',
  },
} as const satisfies Options;

export const start: Command = {
  name: 'start',
  summary: 'Start the services that the settings file lists under `listen`.',
  usage: ['guard start --config FILE [--no-watch] [--json]', 'guard start --demo [--json]'],
  about: `Ready when the line appears, and when GET /ready on the admin listener answers 200.
SIGTERM or Ctrl-C finish the requests under way, write the last events, and end.`,
  options: OPTIONS,
  notes: `The settings are read again on SIGHUP, and when a file changes that they consist of. A file with
mistakes changes nothing: the last good settings stay in force, and the log says what is wrong.`,
  exits:
    '0 ended as it was told to, 1 the settings are refused or cannot be followed, 2 called wrongly.',
  async run(args) {
    const line = readCommandLine(args, OPTIONS);
    if (line.kind === 'wrong') return calledWrongly('start', line.message);
    const { values, positionals } = line;
    const { config, demo, json = false } = values;
    if ((config === undefined) === (demo !== true) || positionals.length > 0) {
      return calledWrongly('start', 'give either --config FILE or --demo');
    }
    const watch = values['no-watch'] !== true;
    return demo === true ? startDemo({ json, watch }) : startFrom(config ?? '', { json, watch });
  },
};

interface StartOptions {
  readonly json: boolean;
  readonly watch: boolean;
}

async function startFrom(file: string, { json, watch }: StartOptions): Promise<number> {
  const launched = await launch({ file, env: process.env, watch, onHangUp: 'reload' });
  if (!launched) return 1;
  const stopped = toldToStop();
  print(json ? readyLine(launched) : addressList(launched));
  await stopped;
  await launched.close();
  return 0;
}

async function startDemo({ json, watch }: StartOptions): Promise<number> {
  const demo = await attempt(openDemo);
  if (!demo) return 1;
  const env = { ...process.env, ...demo.env };
  const launched = await launch({ file: demo.config, env, watch, onHangUp: 'end' });
  if (!launched) {
    await demo.close();
    return 1;
  }
  const stopped = toldToStop();
  print(json ? readyLine(launched) : demo.welcome(launched.addresses));
  await stopped;
  await launched.close();
  await demo.close();
  return 0;
}

interface LaunchOptions {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly watch: boolean;
  /** What SIGHUP does. A demo in a terminal ends with the terminal. */
  readonly onHangUp: 'reload' | 'end';
}

/** Reads settings, starts what they say, and keeps up with them. Undefined, and told why, when that fails. */
async function launch(options: LaunchOptions): Promise<Launched | undefined> {
  const { file, env, watch } = options;
  const load = () => loadSettings(file, env);
  const first = load();
  if (first.kind === 'invalid') {
    print(first.problems.map(formatProblem).join('\n'), 'error');
    return undefined;
  }
  const ambient = {
    log: createLog(process.stderr),
    clock: Date.now,
    metrics: createMetrics(),
  };
  warnOfRoot(ambient.log, process.getuid?.());
  const started = Promise.withResolvers<Running>();
  // From the first reading on, so that nothing is missed that changes during the start.
  const apply = async (settings: Settings) => (await started.promise).reload(settings);
  const reloader = createReloader({ ...ambient, file, load, first, apply, watch });
  if (options.onHangUp === 'reload') process.on('SIGHUP', () => void reloader.reload('signal'));
  const running = await attempt(() => startGuard(first.settings, ambient));
  if (!running) {
    reloader.stop();
    return undefined;
  }
  started.resolve(running);
  return {
    addresses: running.addresses,
    close() {
      reloader.stop();
      return running.close();
    },
  };
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

function readyLine({ addresses }: Launched): string {
  return JSON.stringify({ ready: true, addresses });
}

function addressList({ addresses }: Launched): string {
  const lines = Object.entries(addresses).map(([name, at]) => `  ${name.padEnd(10)} ${at}`);
  return ['Guard is ready.', '', ...lines].join('\n');
}

/** Listens from the call on: whoever reads that it is ready may end it at once. */
function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
