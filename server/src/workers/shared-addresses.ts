import { availableParallelism } from 'node:os';
import type { Settings } from '@guard/config/settings/schema';
import type { ListenAddress } from '@guard/config/settings/values';
import type { Addresses } from '../listeners/listen.ts';

/** How many threads serve the gateway, the main one among them. */
export function threadCount({ workers, listen }: Pick<Settings, 'workers' | 'listen'>): number {
  if (!listen.gateway && !listen.gateway_tls) return 1;
  return workers === 'auto' ? availableParallelism() : workers;
}

/** The addresses of the gateway with the ports that it got, so that the workers can listen there too. */
export function sharedAddresses(listen: Settings['listen'], got: Addresses): Settings['listen'] {
  const { gateway, gateway_tls } = listen;
  return {
    ...listen,
    gateway: gateway && withPort(gateway, got.gateway),
    gateway_tls: gateway_tls && withPort(gateway_tls, got.gateway_tls),
  };
}

function withPort(address: ListenAddress, url: string | undefined): ListenAddress {
  const port = /:(\d+)$/.exec(url ?? '')?.[1];
  return address.kind === 'tcp' && port !== undefined
    ? { ...address, port: Number(port) }
    : address;
}
