/** Header fields whose value is a credential. They must not be in an event, a log line or an error. */
export const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-health-check-token',
]);
