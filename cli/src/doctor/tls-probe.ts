import { connect } from 'node:tls';

/** What a browser finds out about TLS when it connects to the site. */
export type TlsProbe =
  | { readonly kind: 'plain' }
  | { readonly kind: 'failed'; readonly why: string }
  | {
      readonly kind: 'spoken';
      /** The protocol that ALPN selected (RFC 7301). Empty when no protocol was selected. */
      readonly alpn: string;
      /**
       * When the certificate expires, in milliseconds since the epoch. Undefined when the certificate has no readable
       * date.
       */
      readonly expiresAtMs: number | undefined;
      /** Why a browser would not trust the certificate. */
      readonly distrust: string | undefined;
    };

export function probeTls(
  url: string,
  { timeoutMs, from }: { readonly timeoutMs: number; readonly from: string | undefined },
): Promise<TlsProbe> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return Promise.resolve({ kind: 'plain' });
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port) || 443,
      // SNI can only contain names (RFC 6066 3).
      servername: /^[\d.]+$|:/.test(host) ? '' : host,
      ALPNProtocols: ['h2', 'http/1.1'],
      rejectUnauthorized: false,
      timeout: timeoutMs,
      ...(from !== undefined && { localAddress: from }),
    });
    const end = (probe: TlsProbe) => {
      socket.destroy();
      resolve(probe);
    };
    socket.once('timeout', () => end({ kind: 'failed', why: 'no handshake in time' }));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end({ kind: 'failed', why: error.code ?? error.message }),
    );
    socket.once('secureConnect', () => {
      const expiresAtMs = Date.parse(socket.getPeerCertificate().valid_to);
      // Node declares this value as an Error, but it is the code of an error, such as CERT_HAS_EXPIRED.
      const error: unknown = socket.authorizationError;
      const why =
        error instanceof Error
          ? 'code' in error
            ? String(error.code)
            : error.message
          : String(error);
      end({
        kind: 'spoken',
        alpn: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : '',
        expiresAtMs: Number.isNaN(expiresAtMs) ? undefined : expiresAtMs,
        distrust: socket.authorized ? undefined : why,
      });
    });
  });
}
