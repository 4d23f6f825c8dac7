import { isIP } from 'node:net';
import type { Service } from '@guard/config/settings/schema';

const PORTS = {
  gateway: 8080,
  validator: 8081,
  api: 8082,
  collector: 8083,
  docs: 8084,
  dashboard: 8085,
  admin: 9090,
} as const satisfies Partial<Record<Service, number>>;

const HIGHEST_PORT = 65_535 - (PORTS.admin - PORTS.gateway);

export interface Places {
  /**
   * The port of the gateway. The other ports move by the same distance. With 0, the system chooses a free port for each
   * service.
   */
  readonly port: number;
  /** The address on which only the gateway listens. When it is undefined, only this machine can connect. */
  readonly host: string | undefined;
}

/** Reads the port and the host. When the result is a string, it is a sentence about the mistake. */
export function readPlaces(port: string | undefined, host: string | undefined): Places | string {
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > HIGHEST_PORT)) {
    return `--port: found ${port}; expected 0 for free ports, or 1 to ${HIGHEST_PORT}, since the demo's last port is ${PORTS.admin - PORTS.gateway} higher`;
  }
  if (host !== undefined && isIP(host) === 0) {
    return `--host: found ${host}; expected an address of this machine, or 0.0.0.0 for all of them`;
  }
  return { port: port === undefined ? PORTS.gateway : Number(port), host };
}

/** The values of ${NAME} in the demo's guard.yaml: the addresses, and the host for which the demo answers. */
export function placesEnvironment({ port, host }: Places): Readonly<Record<string, string>> {
  const addresses = Object.entries(PORTS).map(([service, defaultPort]): [string, string] => {
    const listenHost = service === 'gateway' && host !== undefined ? host : '127.0.0.1';
    const shiftedPort = port === 0 ? 0 : defaultPort - PORTS.gateway + port;
    return [
      `DEMO_${service.toUpperCase()}`,
      `${isIP(listenHost) === 6 ? `[${listenHost}]` : listenHost}:${shiftedPort}`,
    ];
  });
  // The host is `*` for other machines: they use a name or an address that the demo cannot know.
  return {
    ...Object.fromEntries<string>(addresses),
    DEMO_HOST: host === undefined ? 'localhost' : '*',
  };
}
