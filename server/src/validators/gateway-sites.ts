import type { Site } from '@guard/config/settings/schema';
import type { GatewaySite } from '@guard/gateway';
import type { Validator } from '@guard/validator';
import type { RemoteValidators } from './remote-validators.ts';

/** The sites of a gateway, each with its validator. */
export interface GatewaySites {
  readonly sites: readonly GatewaySite[];
  /** Gives back the remote validators. */
  close(): Promise<void>;
  /** How long a question to a remote validator can take at most, in milliseconds. */
  readonly longestQuestionMs: number;
}

/** Gives each site its validator: the one in this process, or a remote one of its own. */
export function gatewaySites(
  settings: readonly Site[],
  validator: Validator,
  remotes: RemoteValidators,
): GatewaySites {
  const closers: (() => Promise<void>)[] = [];
  let longestQuestionMs = 0;
  const sites = settings.map((site): GatewaySite => {
    if (site.validator === 'in-process') {
      return {
        settings: site,
        validator: 'in-process',
        validate: validator.forOrganisation(site.organisation, site.observe),
        collect: validator.collect,
      };
    }
    const remote = remotes.lease(site.validator);
    closers.push(() => remote.end());
    longestQuestionMs = Math.max(longestQuestionMs, site.validator.timeout);
    return { settings: site, validator: 'remote', validate: remote.validate, collect: undefined };
  });
  return {
    sites,
    longestQuestionMs,
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}
