import { hostname, userInfo } from 'node:os';

/** `ada@web1`: the account that runs this command, or the account behind sudo, and the machine. For logs. */
export function callerName(): string {
  const name = process.env['SUDO_USER'] ?? userInfo().username;
  return `${name}@${hostname()}`.replaceAll(/\p{Cc}/gu, '').slice(0, 200);
}
