import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem, parseSettings } from '@guard/config/settings/load';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A settings file of the repository, with free ports of loopback for its listeners. */
export function onFreePorts(file: string): Record<string, unknown> {
  const settings = parse(readFileSync(join(ROOT, file), 'utf8')) as SettingsText; // guard check has read it
  const services = Object.keys(settings.listen);
  const listen = Object.fromEntries(services.map((service) => [service, '127.0.0.1:0']));
  return { ...settings, listen };
}

interface SettingsText {
  readonly listen: Readonly<Record<string, unknown>>;
}

/** The problems of a settings text, from the loader of `guard start`. */
export function settingsProblems(text: string, env: Readonly<Record<string, string>>): string[] {
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: ROOT, env });
  return result.kind === 'invalid' ? result.problems.map(formatProblem) : [];
}
