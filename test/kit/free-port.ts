import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Each test process searches in its own range, below the ports that the system gives to clients (32768 and up). So test
 * files that run at the same time cannot take each other's port.
 */
const PORTS = 500;
const FIRST_PORT = 20_000 + PORTS * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 20);
let next = process.pid % PORTS;

/** Returns a port that is free now. It is for programs that cannot listen on port 0 and report the real port. */
export async function freePort(): Promise<number> {
  for (let triedCount = 0; triedCount < PORTS; triedCount += 1) {
    const port = FIRST_PORT + (next++ % PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
