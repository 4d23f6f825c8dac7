import type { Site } from '@guard/config/settings/schema';
import { type GatewaySite, validateOverHttp } from '@guard/gateway';
import type { Validator } from '@guard/validator';

/** Gives each site its validator: the one in this process, or a remote one of its own. */
export function gatewaySites(
  sites: readonly Site[],
  validator: Validator,
  opened: (() => Promise<void>)[],
): GatewaySite[] {
  return sites.map((settings) => {
    if (settings.validator === 'in-process') {
      return {
        settings,
        validator: 'in-process',
        validate: validator.forOrganisation(settings.organisation),
        collect: validator.collect,
      };
    }
    const remote = validateOverHttp(settings.validator);
    opened.push(() => remote.close());
    return { settings, validator: 'remote', validate: remote.validate, collect: undefined };
  });
}
