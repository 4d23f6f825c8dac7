/**
 * Preloaded into a process (`node --import`). At each SIGUSR2 it shifts the wall clock of the process by the
 * milliseconds in a file. Timers and `performance.now()` do not change, as when an administrator or NTP steps the
 * clock of a machine.
 */
import { readFileSync } from 'node:fs';

const file = process.env['GUARD_CHAOS_CLOCK'] ?? '';
const RealDate = Date;
let shiftMs = 0;

const now = () => RealDate.now() + shiftMs;
const ShiftedDate = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    // The Date constructor returns this.
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
});
Object.defineProperty(globalThis, 'Date', { value: ShiftedDate, writable: true });

process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(file, 'utf8'));
  process.stderr.write(`the clock is shifted by ${shiftMs} ms\n`);
});
