import type { Settings } from '@guard/config/settings/schema';
import { print } from '../terminal/terminal.ts';

/**
 * The requested organisation, or the only organisation in the settings. Otherwise prints the reason and returns
 * undefined.
 */
export function chooseOrganisation(
  command: string,
  settings: Settings,
  requestedId: string | undefined,
): string | undefined {
  const { organisations } = settings;
  const [first, second] = organisations;
  const chosenId = requestedId ?? (second === undefined ? first?.id : undefined);
  if (chosenId === undefined) {
    print(`guard ${command}: say --organisation; there are ${organisationIds(settings)}`, 'error');
    return undefined;
  }
  if (organisations.some(({ id }) => id === chosenId)) return chosenId;
  const knownIds = organisationIds(settings);
  print(`guard ${command}: no organisation has the id ${chosenId}; there are ${knownIds}`, 'error');
  return undefined;
}

export function organisationIds({ organisations }: Settings): string {
  return organisations.map(({ id }) => id).join(', ') || 'none';
}
