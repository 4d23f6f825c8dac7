import type { Clock, Log, Metrics, Validate } from '@guard/config/contract/ports';
import type { RemoteValidator, Site } from '@guard/config/settings/schema';
import { type GatewaySite, type RemoteValidatorClient, validateOverHttp } from '@guard/gateway';
import type { Validator } from '@guard/validator';

/** The sites of a gateway, each with its validator. */
interface GatewaySites {
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
    const failurePage = validator.failurePage(site.organisation);
    if (site.validator === 'in-process') {
      return {
        settings: site,
        failurePage,
        validator: 'in-process',
        validate: validator.forOrganisation(site.organisation, site.observe),
        collect: validator.collect,
      };
    }
    const remote = remotes.lease(site.validator);
    closers.push(() => remote.end());
    longestQuestionMs = Math.max(longestQuestionMs, site.validator.timeout);
    return {
      settings: site,
      failurePage,
      validator: 'remote',
      validate: remote.validate,
      collect: undefined,
    };
  });
  return {
    sites,
    longestQuestionMs,
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

/** One use of a remote validator. */
interface RemoteLease {
  readonly validate: Validate;
  /** Ends this use. The end of the last use closes the connections. */
  end(): Promise<void>;
}

interface RemotePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * The remote validators that are in use. Sites with the same validator share its connections and its
 * circuit breaker. Deployments share them too: a reload must not ask a validator again that is away.
 */
export class RemoteValidators {
  readonly #ports: RemotePorts;
  readonly #open = new Map<string, { readonly client: RemoteValidatorClient; leases: number }>();

  constructor(ports: RemotePorts) {
    this.#ports = ports;
    ports.metrics.gauge('guard_gateway_validators_away', () => {
      let away = 0;
      for (const { client } of this.#open.values()) if (client.isAway()) away++;
      return away;
    });
  }

  lease(remote: RemoteValidator): RemoteLease {
    const id = JSON.stringify([remote.url, remote.key, remote.timeout]);
    const shared = this.#open.get(id) ?? {
      client: validateOverHttp(remote, this.#ports),
      leases: 0,
    };
    shared.leases++;
    this.#open.set(id, shared);
    return {
      validate: shared.client.validate,
      end: async () => {
        shared.leases--;
        if (shared.leases > 0) return;
        this.#open.delete(id);
        await shared.client.close();
      },
    };
  }
}
