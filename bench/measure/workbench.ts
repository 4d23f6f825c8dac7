import { ONE_PLAYS_ALL } from '../../test/kit/product/policies.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '@guard/config/settings/schema';
import { stringify } from 'yaml';
import { productSettings } from '../../test/kit/product/product-settings.ts';
import {
  type Core,
  type Running,
  startScriptOn,
  type StartedScript,
  pinToCore,
} from './processes.ts';

/** The folder and the processes of one bench. At its end all processes are stopped and the folder is removed. */
export interface Workbench {
  readonly folder: string;
  /** Registers a process that is stopped at the end. Returns the process. */
  keep<T extends Running>(running: T): T;
}

/** A Guard that was started as users start it. */
export interface StartedGuard extends StartedScript {
  readonly addresses: Readonly<Record<Service, string>>;
  /** The URL of the front proxy. */
  readonly url: string;
  /** The settings file. To change the settings, write it and send SIGHUP. */
  readonly file: string;
}

/** The rule of every bench. With it, the findings decide. */
export const DETECT = [{ name: 'everybody', match: {}, detect: true }] as const;

const benchFolder = join(import.meta.dirname, '..');

/** Runs a bench. The process of the bench itself uses the core of the load, unless `core` names another core. */
export async function withWorkbench<T>(
  run: (bench: Workbench) => Promise<T>,
  core: Core = 0,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const keptProcesses: Running[] = [];
  pinToCore(core);
  const keep = <R extends Running>(process: R): R => {
    keptProcesses.push(process);
    return process;
  };
  try {
    return await run({ folder, keep });
  } finally {
    for (const process of keptProcesses.toReversed()) await process.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts bench/targets/origin.ts, or another script of this folder, on the core of the load or on `core`. */
export async function startOrigin(
  bench: Workbench,
  { script = 'origin.ts', core = 0 }: { readonly script?: string; readonly core?: Core } = {},
): Promise<StartedScript> {
  return bench.keep(await startScriptOn(core, join(benchFolder, 'targets', script), []));
}

/** Settings of a whole product with its own database. `name` is part of the name of the log. */
export function guardSettings(
  name: string,
  origin: string | readonly string[],
  changes: Parameters<typeof productSettings>[1] = {},
): Record<string, unknown> {
  const rules = changes.rules ?? DETECT;
  const [first = ''] = [origin].flat();
  const site = { ...changes.site, ...(typeof origin === 'string' ? {} : { origin }) };
  const analytics = { engine: 'embedded', path: `./${name}` };
  return productSettings(first, {
    rules,
    site,
    organisation: ONE_PLAYS_ALL,
    top: { analytics, ...changes.top },
  });
}

/** Starts Guard on the core of the targets, or on `core`. */
export async function startGuard(
  bench: Workbench,
  name: string,
  settings: Readonly<Record<string, unknown>>,
  core: Core = 1,
): Promise<StartedGuard> {
  const file = join(bench.folder, `${name}.yaml`);
  writeFileSync(file, stringify(settings));
  return startGuardFrom(bench, file, core);
}

/** Starts Guard with a settings file. Its log is in the same folder. */
export async function startGuardFrom(
  bench: Workbench,
  file: string,
  core: Core,
  moreArgs: readonly string[] = [],
): Promise<StartedGuard> {
  const args = ['start', '--config', file, '--json', ...moreArgs];
  const bin = join(benchFolder, '..', 'bin', 'guard');
  const startedScript = bench.keep(await startScriptOn(core, bin, args, `${file}.log`));
  // Reads the first line of the output of `--json`. It has no address for a service that is switched off.
  const { addresses } = JSON.parse(startedScript.line) as Pick<StartedGuard, 'addresses'>;
  return { ...startedScript, addresses, url: addresses.gateway, file };
}
