/**
 * A program for HEALTHCHECK and for other supervisors that run a program. Ends with 0 when Guard is ready, and with 1
 * when it is not ready or does not answer within 4 seconds. Asks `listen.admin` at 127.0.0.1:9090, or at
 * GUARD_READY_URL.
 */
import { get } from 'node:http';

const url = process.env['GUARD_READY_URL'] ?? 'http://127.0.0.1:9090/ready';
const request = get(url, { timeout: 4_000 }, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1;
  response.destroy();
});
request.on('timeout', () => request.destroy(new Error('no answer')));
request.on('error', () => {
  process.exitCode = 1;
});
