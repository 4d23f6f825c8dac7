import type { Settings } from '@guard/config/settings/schema';
import type { ListenAddress } from '@guard/config/settings/values';
import type { Gateway } from '@guard/gateway';
import { type Addresses, listenError } from './listen.ts';

type GatewayService = 'gateway' | 'gateway_tls' | 'forward_auth';

/** Lets a gateway listen at each address of the settings. Resolves to these addresses, with their ports known. */
export async function listenGateway(
  gateway: Gateway,
  addresses: Pick<Settings['listen'], GatewayService>,
): Promise<Addresses> {
  const opened: Partial<Record<GatewayService, string>> = {};
  const open = async (
    service: GatewayService,
    listen: (at: ListenAddress) => Promise<string>,
  ): Promise<void> => {
    const address = addresses[service];
    if (!address) return;
    try {
      opened[service] = await listen(address);
    } catch (error) {
      throw listenError(service, address, error);
    }
  };
  await open('gateway', gateway.listen);
  await open('gateway_tls', gateway.listenTls);
  await open('forward_auth', gateway.listenForwardAuth);
  return opened;
}
