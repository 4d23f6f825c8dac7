/**
 * Opens slow connections to a gateway. It is a separate process, because of the limit of open files. One third of the
 * connections sends a header section and one third an upload, one byte each second. One third sends nothing. It prints
 * the number of open connections as a line of JSON, and keeps them open until SIGTERM.
 *
 * Arguments: port on loopback, and how many connections.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromeHttp, HOME_IP } from '../test/kit/visitors/visitors.ts';

const [port = 0, count = 0] = process.argv.slice(2).map(Number);
/** Few connections at a time, so that none waits in the kernel's queue. */
const AT_ONCE = 200;
const BYTE_EVERY_MS = 1_000;

/** The header fields of a browser, so that the uploads reach the origin. */
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
  const connecting = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) =>
    begin(from + i),
  );
  await Promise.all(connecting);
  await sleep(10);
}
process.stdout.write(`${JSON.stringify({ connected })}\n`);
process.on('SIGTERM', () => process.exit(0));
// Closed connections do not keep this process running.
setInterval(() => undefined, BYTE_EVERY_MS);
