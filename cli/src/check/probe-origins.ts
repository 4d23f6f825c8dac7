import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Site } from '@guard/config/settings/schema';
import type { Origin } from '@guard/config/settings/values/values';
import { type Remark, warning } from './remark.ts';

const TIMEOUT_MS = 3_000;

/**
 * Connects to every origin of the sites without sending a request. Warns about each origin that the gateway could not
 * use.
 */
export async function probeOrigins(sites: readonly Site[]): Promise<Remark[]> {
  const probes = sites.flatMap(({ origin }, index) =>
    origin.map(async (address): Promise<Remark[]> => {
      const fault = await faultOf(address);
      if (fault === undefined) return [];
      const name = address.kind === 'unix' ? `unix:${address.path}` : address.origin;
      return [warning(['sites', index, 'origin'], `${name} ${fault}`)];
    }),
  );
  return (await Promise.all(probes)).flat();
}

/** Why the gateway could not use the origin, as a phrase. Undefined when the gateway can use it. */
function faultOf(origin: Origin): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (fault: string | undefined) => {
      socket.destroy();
      resolve(fault);
    };
    const socket = dial(origin, end).setTimeout(TIMEOUT_MS);
    socket.once('timeout', () => end(`cannot be reached: no answer within ${TIMEOUT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => end(connectionFault(error)));
  });
}

function dial(origin: Origin, end: (fault: string | undefined) => void): Socket {
  if (origin.kind === 'unix') return connect({ path: origin.path }, () => end(undefined));
  const { host, port, isSecure } = origin;
  if (!isSecure) return connect({ host, port }, () => end(undefined));
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connectTls({ host, port, ...name, rejectUnauthorized: false }, () =>
    end(certificateFault(socket)),
  );
  return socket;
}

function certificateFault({ authorized, authorizationError }: TLSSocket): string | undefined {
  if (authorized) return undefined;
  // Node declares this value as an Error. At run time it is a text, except when the certificate does not have the name
  // of the host.
  const found: unknown = authorizationError;
  const code = typeof found === 'string' ? found : 'ERR_TLS_CERT_ALTNAME_INVALID';
  const remedy =
    code === 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? 'write a host of the certificate into `origin`'
      : 'start Guard with NODE_EXTRA_CA_CERTS=/path/to/the/certificate.pem, or reach the origin by http';
  return `has a certificate that Guard does not accept (${code}), so every visitor would get 502: ${remedy}`;
}

function connectionFault({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'cannot be reached: nothing listens there (ECONNREFUSED); start your application, or correct `origin`';
    case 'ENOENT':
      return 'cannot be reached: there is no such socket (ENOENT); start your application, or correct `origin`';
    case 'ENOTFOUND':
      return 'cannot be reached: its name has no address (ENOTFOUND); correct `origin`';
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'does not speak TLS, so every visitor would get 502: write http:// in `origin`';
    case undefined:
    default:
      return `cannot be reached: ${code ?? message}`;
  }
}
