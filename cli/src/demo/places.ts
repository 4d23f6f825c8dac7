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
  /** The port of the gateway. The other ports keep their distance from it. With 0 each service takes a free port. */
  readonly port: number;
  /** The address for the gateway alone. Undefined: reachable from this machine only. */
  readonly host: string | undefined;
}

/** A string is a sentence about the mistake. */
export function readPlaces(port: string | undefined, host: string | undefined): Places | string {
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > HIGHEST_PORT)) {
    return `--port: found ${port}; expected 0 for free ports, or 1 to ${HIGHEST_PORT}, since the demo's last port is ${PORTS.admin - PORTS.gateway} higher`;
  }
  if (host !== undefined && isIP(host) === 0) {
    return `--host: found ${host}; expected an address of this machine, or 0.0.0.0 for all of them`;
  }
  return { port: port === undefined ? PORTS.gateway : Number(port), host };
}

/** The values of ${NAME} in the demo's guard.yaml: addresses, and the host name to answer. */
export function placesEnvironment({ port, host }: Places): Readonly<Record<string, string>> {
  const addresses = Object.entries(PORTS).map(([service, defaultPort]): [string, string] => {
    const listenHost = service === 'gateway' && host !== undefined ? host : '127.0.0.1';
    const shiftedPort = port === 0 ? 0 : defaultPort - PORTS.gateway + port;
    return [
      `DEMO_${service.toUpperCase()}`,
      `${isIP(listenHost) === 6 ? `[${listenHost}]` : listenHost}:${shiftedPort}`,
    ];
  });
  // Another machine uses a name or an address that the demo cannot know.
  return {
    ...Object.fromEntries<string>(addresses),
    DEMO_HOST: host === undefined ? 'localhost' : '*',
  };
}
