import { hostname, userInfo } from 'node:os';

/**
 * `ada@web1`: the account that runs this command, or the account that called sudo, and the machine. It is written into
 * logs.
 */
export function callerName(): string {
  const name = process.env['SUDO_USER'] ?? userInfo().username;
  return `${name}@${hostname()}`.replaceAll(/\p{Cc}/gu, '').slice(0, 200);
}
