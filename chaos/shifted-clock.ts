/**
 * Preloaded into a process (`node --import`): its wall clock is set forward or back by what stands in a
 * file, in milliseconds, whenever it is sent SIGUSR2. As where an administrator or NTP steps the clock of
 * a machine, timers and `performance.now()` go on as they did.
 */
import { readFileSync } from 'node:fs';

const file = process.env['GUARD_CHAOS_CLOCK'] ?? '';
const RealDate = Date;
let shiftMs = 0;

const now = () => RealDate.now() + shiftMs;
const ShiftedDate = new Proxy(RealDate, {
  construct: (target, args: unknown[], asked) =>
    // What a Date constructor gives back.
    Reflect.construct(target, args.length === 0 ? [now()] : args, asked) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
});
Object.defineProperty(globalThis, 'Date', { value: ShiftedDate, writable: true });

process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(file, 'utf8'));
  process.stderr.write(`the clock is shifted by ${shiftMs} ms\n`);
});
