import type { Site } from '@guard/config/settings/schema';
import type { GatewaySite } from '@guard/gateway';
import type { Validator } from '@guard/validator';
import type { RemoteValidators } from './remote-validators.ts';

export interface AskingSites {
  readonly sites: readonly GatewaySite[];
  /** Needs its remote validators no more. */
  close(): Promise<void>;
  /** Longest that a question to one of them can be under way, in milliseconds. */
  readonly longestQuestionMs: number;
}

/** Gives each site its validator: the one in this process, or a remote one of its own. */
export function gatewaySites(
  settings: readonly Site[],
  validator: Validator,
  remotes: RemoteValidators,
): AskingSites {
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
