import type { Settings } from '@guard/config/settings/schema';
import { print } from '../terminal/terminal.ts';

/** The requested organisation, or the only one. Without either, prints the reason and returns undefined. */
export function chooseOrganisation(
  command: string,
  settings: Settings,
  asked: string | undefined,
): string | undefined {
  const { organisations } = settings;
  const [only, second] = organisations;
  const chosen = asked ?? (second === undefined ? only?.id : undefined);
  if (chosen === undefined) {
    print(`guard ${command}: say --organisation; there are ${organisationIds(settings)}`, 'error');
    return undefined;
  }
  if (organisations.some(({ id }) => id === chosen)) return chosen;
  const known = organisationIds(settings);
  print(`guard ${command}: no organisation has the id ${chosen}; there are ${known}`, 'error');
  return undefined;
}

export function organisationIds({ organisations }: Settings): string {
  return organisations.map(({ id }) => id).join(', ') || 'none';
}
