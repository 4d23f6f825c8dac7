import { z } from 'zod';

/** `redis[s]://[user:password@]host[:port][/database]`. Kept as it is written: the client takes it apart. */
export const RedisUrl = z
  .url({
    protocol: /^rediss?$/,
    error: 'expected a URL that begins with redis:// or rediss://',
    abort: true,
  })
  .refine(
    isOneServer,
    'expected redis://user:password@host:port/0 and nothing behind it, with a % in a password as %25',
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

/** The client decodes them, and throws at a lone %. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
