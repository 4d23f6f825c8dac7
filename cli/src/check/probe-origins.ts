import { connect, type NetConnectOpts } from 'node:net';
import type { Site } from '@guard/config/settings/schema';
import type { Origin } from '@guard/config/settings/values/values';
import { type Remark, warning } from './remark.ts';

const TIMEOUT_MS = 3_000;

/** Connects to every origin of the sites without sending data. Warns of each that cannot be reached. */
export async function probeOrigins(sites: readonly Site[]): Promise<Remark[]> {
  const probes = sites.flatMap(({ origin }, index) =>
    origin.map(async (address): Promise<Remark[]> => {
      const fault = await faultOf(address);
      if (fault === undefined) return [];
      const name = address.kind === 'unix' ? `unix:${address.path}` : address.origin;
      const message = `${name} cannot be reached: ${fault}`;
      return [warning(['sites', index, 'origin'], message)];
    }),
  );
  return (await Promise.all(probes)).flat();
}

/** Why the connection failed, as a phrase. Undefined when it succeeded. */
function faultOf(origin: Origin): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...connectOptionsOf(origin), timeout: TIMEOUT_MS });
    const end = (fault: string | undefined) => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end(`no answer within ${TIMEOUT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

function connectOptionsOf(origin: Origin): NetConnectOpts {
  if (origin.kind === 'unix') return { path: origin.path };
  return { host: origin.host, port: origin.port };
}
