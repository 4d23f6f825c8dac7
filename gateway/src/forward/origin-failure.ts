/** How an origin failed a request, and what that means for the visitor. */
export interface OriginFailure {
  readonly status: 502 | 503 | 504;
  /** Label of guard_gateway_origin_errors_total. */
  readonly reason: 'connect' | 'timeout' | 'reset' | 'malformed' | 'busy';
  /**
   * Whether a repeatable request is worth another try. `same`: the connection was closed under it,
   * as idle ones are. `other`: this origin takes no connections, so nothing was sent.
   */
  readonly again: 'no' | 'same' | 'other';
}

const FAILURES = {
  connect: { status: 502, reason: 'connect', again: 'other' },
  headersTimeout: { status: 504, reason: 'timeout', again: 'no' },
  reset: { status: 502, reason: 'reset', again: 'same' },
  malformed: { status: 502, reason: 'malformed', again: 'no' },
} as const satisfies Record<string, OriginFailure>;

/** Reads an error of undici or of the socket below it. */
export function originFailure(error: Error): OriginFailure {
  // Node's system errors carry `syscall`; undici's carry only a code.
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return FAILURES.connect;
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ECONNREFUSED':
      return FAILURES.connect;
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return FAILURES.headersTimeout;
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return FAILURES.reset;
    default:
      return FAILURES.malformed;
  }
}
