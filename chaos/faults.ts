import type { Fault } from './fault.ts';
import { clockJump } from './faults/clock-jump.ts';
import { configStorm } from './faults/config-storm.ts';
import { diskFull } from './faults/disk-full.ts';
import { engineKilled } from './faults/engine-killed.ts';
import { engineOutOfMemory } from './faults/engine-out-of-memory.ts';
import { fullDiskStarts } from './faults/full-disk-starts.ts';
import { originDown } from './faults/origin-down.ts';
import { originSlow } from './faults/origin-slow.ts';
import { slowClients } from './faults/slow-clients.ts';
import { uploadStorm } from './faults/upload-storm.ts';

/** All faults in the order in which they are tried: those of the origin first. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'origin-down': originDown,
  'origin-slow': originSlow,
  'clock-jump': clockJump,
  'engine-killed': engineKilled,
  'engine-out-of-memory': engineOutOfMemory,
  'disk-full': diskFull,
  'full-disk-starts': fullDiskStarts,
  'slow-clients': slowClients,
  'upload-storm': uploadStorm,
  'config-storm': configStorm,
};
