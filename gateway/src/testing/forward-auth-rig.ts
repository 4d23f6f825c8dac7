import { type RigOptions, startGateway } from './gateway-rig.ts';

/** A gateway that only other proxies ask. Its origin cannot be reached. */
export async function startForwardAuth(options: Partial<RigOptions> = {}) {
  const rig = await startGateway({
    origin: 'http://127.0.0.1:9',
    trustedProxies: ['127.0.0.1'],
    ...options,
  });
  const url = await rig.gateway.listenForwardAuth({ kind: 'tcp', host: '127.0.0.1', port: 0 });
  return {
    ...rig,
    forwardAuthUrl: url,
    forwardAuthPort: Number(url.slice(url.lastIndexOf(':') + 1)),
  };
}
