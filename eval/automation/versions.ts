import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOnPath } from '../../test/kit/tools.ts';
import type { Tool } from './tool.ts';

const NODE_MODULES = join(import.meta.dirname, '..', '..', 'node_modules');

/** Returns the reason why a tool cannot run on this machine. Undefined when it can run. */
export function findMissing({ needs }: Tool): string | undefined {
  const absent = needs.programs.filter((program) => !isOnPath(program));
  const uninstalled = needs.packages.filter((name) => packageVersion(name) === undefined);
  const missing = [...absent, ...uninstalled];
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;
}

/** Returns the name and version of each package and program that these tools need, without duplicates. */
export function versionsOf(tools: readonly Tool[]): string[] {
  const packages = new Set(tools.flatMap(({ needs }) => needs.packages));
  const programs = new Set(tools.flatMap(({ needs }) => needs.programs));
  return [
    ...[...packages].map((name) => `${name} ${packageVersion(name) ?? 'not installed'}`),
    ...[...programs].filter(isOnPath).map(programVersion),
  ];
}

export function packageVersion(name: string): string | undefined {
  try {
    const { version } = JSON.parse(
      readFileSync(join(NODE_MODULES, name, 'package.json'), 'utf8'),
    ) as { version: string };
    return version;
  } catch {
    return undefined;
  }
}

/** Returns the first output line with a version, or else the name of the program. */
function programVersion(program: string): string {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  const line = stdout.split('\n').find((text) => /\d+\.\d+/.test(text));
  return line?.replace(/ \(.*| built on .*/, '').trim() ?? program;
}
