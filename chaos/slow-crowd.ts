/**
 * A process of its own, so that its connections count against its own limit of open files: opens
 * connections to a gateway that take forever. One third sends a header section, one third an upload, each
 * a byte a second; one third has sent nothing at all. Prints how many it got as a line of JSON, and
 * holds them until SIGTERM.
 *
 * Arguments: port on loopback, and how many connections.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromeHttp, HOME_IP } from '../test/kit/visitors.ts';

const [port = 0, count = 0] = process.argv.slice(2).map(Number);
/** So few at a time that none waits in the kernel's queue for a place. */
const AT_ONCE = 200;
const BYTE_EVERY_MS = 1_000;

/** A browser's, so that the uploads are let through to the origin. */
const FIELDS = Object.entries({ ...chromeHttp, 'x-forwarded-for': HOME_IP })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
const BEGINNINGS = [
  `GET /slow HTTP/1.1\r\n${FIELDS}X-Slow: `,
  `POST /slow HTTP/1.1\r\n${FIELDS}Content-Length: 1000000\r\n\r\n`,
  '',
];

let connected = 0;

async function begin(number: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  try {
    await once(socket, 'connect');
  } catch {
    return;
  }
  connected += 1;
  const beginning = BEGINNINGS[number % BEGINNINGS.length] ?? '';
  if (beginning === '') return;
  socket.write(beginning);
  const trickle = setInterval(() => socket.write('x'), BYTE_EVERY_MS);
  socket.on('close', () => clearInterval(trickle));
}

for (let from = 0; from < count; from += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => begin(from + i));
  await Promise.all(some);
  await sleep(10);
}
process.stdout.write(`${JSON.stringify({ connected })}\n`);
process.on('SIGTERM', () => process.exit(0));
// Connections that have been closed keep nobody here.
setInterval(() => undefined, BYTE_EVERY_MS);
