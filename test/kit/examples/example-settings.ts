import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem, parseSettings } from '@guard/config/settings/load';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A settings file of the repository, with free ports of loopback for its listeners. */
export function onFreePorts(file: string): Record<string, unknown> {
  // `guard check` has read this text, so it is a map
  const settings = parse(readFileSync(join(ROOT, file), 'utf8')) as SettingsText;
  const services = Object.keys(settings.listen);
  const listen = Object.fromEntries(services.map((service) => [service, '127.0.0.1:0']));
  return { ...settings, listen };
}

interface SettingsText {
  readonly listen: Readonly<Record<string, unknown>>;
}

/** The problems that the loader of `guard start` finds in a settings text. */
export function settingsProblems(text: string, env: Readonly<Record<string, string>>): string[] {
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: ROOT, env });
  return result.kind === 'invalid' ? result.problems.map(formatProblem) : [];
}
