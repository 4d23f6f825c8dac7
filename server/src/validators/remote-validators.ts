import type { Clock, Log, Metrics, Validate } from '@guard/config/contract/ports';
import type { RemoteValidator } from '@guard/config/settings/schema';
import { type RemoteValidatorClient, validateOverHttp } from '@guard/gateway';

export interface RemoteLease {
  readonly validate: Validate;
  /** The last one to end closes the connections. */
  end(): Promise<void>;
}

interface RemotePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * The remote validators in use. Sites that name the same one share its connections and its circuit
 * breaker, and so do the settings before a reload and those after it: a validator that is away is not
 * asked again because somebody saved a file.
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
