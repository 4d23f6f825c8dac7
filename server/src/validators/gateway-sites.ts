import type { Validate } from '@guard/config/contract/ports';
import type { RemoteValidator, Site } from '@guard/config/settings/schema';
import type { GatewaySite } from '@guard/gateway';
import type { RemoteValidatorClient, validateOverHttp } from '@guard/gateway/remote-validator';
import type { Validator } from '@guard/validator';
import type { ProcessContext } from '../process/process-context.ts';

interface GatewaySites {
  readonly sites: readonly GatewaySite[];
  /** Releases the remote validators. */
  close(): Promise<void>;
  /** The longest time that a question to a remote validator can take, in milliseconds. */
  readonly longestQuestionMs: number;
}

/**
 * Gives each site its validator. The client for remote validators takes 6 MB, so it is loaded only if a site needs it.
 */
export async function gatewaySites(
  settings: readonly Site[],
  validator: Validator,
  remotes: RemoteValidators,
): Promise<GatewaySites> {
  const closers: (() => Promise<void>)[] = [];
  let longestQuestionMs = 0;
  if (settings.some((site) => site.validator !== 'in-process')) await remotes.load();
  const sites = settings.map((site): GatewaySite => {
    const { organisation } = site;
    const shared = { settings: site, failurePage: validator.failurePage(organisation) };
    if (site.validator === 'in-process') {
      const validate = validator.forOrganisation(organisation, site.observe);
      return { ...shared, validator: 'in-process', validate, collect: validator.collect };
    }
    const remote = remotes.lease(site.validator);
    closers.push(() => remote.end());
    longestQuestionMs = Math.max(longestQuestionMs, site.validator.timeout);
    return { ...shared, validator: 'remote', validate: remote.validate, collect: undefined };
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
  /** Ends this use. When the last use has ended, the connections close. */
  end(): Promise<void>;
}

/**
 * The remote validators in use. Sites with the same validator share its connections and its breaker. Deployments share
 * them too, so a reload does not make Guard ask a validator again that is away.
 */
export class RemoteValidators {
  readonly #ports: ProcessContext;
  #connect: typeof validateOverHttp | undefined;
  readonly #clients = new Map<string, { readonly client: RemoteValidatorClient; leases: number }>();

  constructor(ports: ProcessContext) {
    this.#ports = ports;
    ports.metrics.gauge('guard_gateway_validators_away', () => {
      let awayCount = 0;
      for (const { client } of this.#clients.values()) if (client.isAway()) awayCount++;
      return awayCount;
    });
  }

  /** Must resolve before the first {@link lease}. */
  async load(): Promise<void> {
    this.#connect ??= (await import('@guard/gateway/remote-validator')).validateOverHttp;
  }

  lease(remote: RemoteValidator): RemoteLease {
    if (!this.#connect) throw new Error('leased before it was loaded');
    const id = JSON.stringify([remote.url, remote.key, remote.timeout]);
    const sharedClient = this.#clients.get(id) ?? {
      client: this.#connect(remote, this.#ports),
      leases: 0,
    };
    sharedClient.leases++;
    this.#clients.set(id, sharedClient);
    return {
      validate: sharedClient.client.validate,
      end: async () => {
        sharedClient.leases--;
        if (sharedClient.leases > 0) return;
        this.#clients.delete(id);
        await sharedClient.client.close();
      },
    };
  }
}
