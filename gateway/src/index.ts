import { behindDoor, type Door } from './listen/door.ts';
import { drain } from './listen/drain.ts';
import type { ForwardAuth } from './forward-auth/forward-auth.ts';
import { FORWARD_AUTH_LIMITS } from './forward-auth/limits.ts';
import { createForwardAuthServer } from './forward-auth/server.ts';
import { sparingLog } from './base/sparing-log.ts';
import { createForward } from './forward/forward.ts';
import type { Handle } from './handle.ts';
import { createBuild } from './in-force.ts';
import { GATEWAY_LIMITS } from './base/limits.ts';
import { listen } from './listen/listen.ts';
import { watchForOneAddress } from './arrive/one-address.ts';
import type { Gateway, GatewayOptions } from './base/options.ts';
import { OriginRegistry } from './origin/origin-registry.ts';
import { createPlainFront } from './http1/front.ts';
import type { Intake } from './listen/intake.ts';
import { certificateExpiry } from './tls/certificate-expiry.ts';
import { loadCertificates } from './tls/choose-certificate.ts';
import { createTlsFront, type TlsFront } from './tls/front.ts';
import { createUpgrades } from './forward/upgrade.ts';

export type { GatewayLimits } from './base/limits.ts';
export type { Gateway, GatewayOptions, GatewaySettings, GatewaySite } from './base/options.ts';
export { compileRoute, type IsProtected } from './arrive/route.ts';
export { type RemoteValidatorClient, validateOverHttp } from './judge/validate-over-http.ts';

/** Builds a gateway: takes requests, asks, enforces, forwards. It listens when it is told to. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, log, metrics } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const origins = new OriginRegistry(limits, clock);
  const faults = sparingLog(log, clock, FORWARD_AUTH_LIMITS.logEveryMs);
  const oneAddress = watchForOneAddress(log, clock);
  const build = createBuild(options, { limits, origins, oneAddress, faults });

  let current = build(options);
  const handle: Handle = (req, res, onward) => {
    current.handle(req, res, onward);
  };
  const ports = { metrics, log, limits };
  const upgrades = createUpgrades(handle, ports);
  let closing = false;
  const door: Door = {
    ...ports,
    faults,
    proxyProtocol: options.proxyProtocol === true,
    waiting: new Set(),
    trusts: (peer) => current.trusts(peer),
  };
  const intake: Intake = {
    handle,
    forward: createForward(ports),
    upgrades,
    limits,
    door,
    isClosing: () => closing,
  };
  const plain = createPlainFront(intake);
  const answerProxy: ForwardAuth = (req, res) => {
    current.forwardAuth(req, res);
  };
  const forwardAuth = behindDoor(createForwardAuthServer(answerProxy, limits, intake.isClosing), {
    ...door,
    proxyProtocol: false,
  });
  metrics.gauge('guard_gateway_one_address', () => (oneAddress.isOne() ? 1 : 0));
  let front: TlsFront | undefined;
  const shared = options.sharedAddress;

  async function close(): Promise<void> {
    closing = true;
    plain.drain();
    front?.drain();
    const drained = Promise.all([
      drain(plain.server, limits.drainMs, () => {
        plain.cut();
        upgrades.close();
      }),
      front && drain(front.server, limits.drainMs, front.cut),
      drain(forwardAuth, limits.drainMs, () => undefined),
    ]);
    // A tunnel has no end of its own to wait for, and who is not introduced yet has nothing under way.
    upgrades.close();
    for (const socket of door.waiting) socket.destroy();
    await drained;
    await origins.destroy();
  }

  return {
    listen: (address) => listen(plain.server, address, { scheme: 'http', shared }),
    listenTls: (address) => {
      const certificates = loadCertificates(options.certificates ?? []);
      if (certificates === undefined) throw new TypeError('https needs a certificate');
      front = createTlsFront(intake, certificates);
      metrics.gauge('guard_gateway_certificate_expiry_timestamp_seconds', () =>
        certificateExpiry(current.certificates),
      );
      return listen(front.server, address, { scheme: 'https', shared });
    },
    listenForwardAuth: (address) =>
      listen(forwardAuth, address, { scheme: 'http', shared: undefined }),
    reload: (settings) => {
      const certificates = front && loadCertificates(settings.certificates ?? []);
      current = build(settings);
      oneAddress.restart();
      if (certificates) front?.useCertificates(certificates);
    },
    close,
  };
}
