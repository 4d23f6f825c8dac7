import { z } from 'zod';

/** `redis[s]://[user:password@]host[:port][/database]`. It is kept as written, because the client parses it. */
export const RedisUrl = z
  .url({
    protocol: /^rediss?$/,
    error: 'expected a URL that begins with redis:// or rediss://',
    abort: true,
  })
  .refine(
    isOneServer,
    'expected redis://user:password@host:port/0 and nothing after it, with a % in a password as %25',
  );

/** The address of one Sentinel: `host:port`, with an IPv6 address in brackets. */
export const SentinelAddress = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[1-9]\d{0,4}$/,
    'expected a host and a port, such as 10.0.0.1:26379',
  );

function isOneServer(text: string): boolean {
  const { hostname, pathname, search, hash, username, password } = new URL(text);
  return (
    hostname !== '' &&
    /^(?:\/\d{0,5})?$/.test(pathname) &&
    search === '' &&
    hash === '' &&
    isDecodable(username) &&
    isDecodable(password)
  );
}

/** Whether the Redis client can decode a user name or password. The client throws when a % begins no escape. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
