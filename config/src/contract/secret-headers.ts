/** Header fields whose value is a credential. They enter no event, log line or error. */
export const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-health-check-token',
]);
