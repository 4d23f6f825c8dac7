import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Relay as PlainRelay,
  startRelay as startPlainRelay,
} from '../../test/kit/peers/relay.ts';

/** A relay in front of the gateway that keeps the uploads of challenges. */
export interface Relay extends PlainRelay {
  /** Sets the folder for further uploads. It is below the folder that was given at the start. */
  keepIn(folder: string): void;
}

/** Larger uploads are forwarded but not kept. */
const MAX_KEPT_BYTES = 256 * 1024;

export async function startRelay(gateway: string, folder: string): Promise<Relay> {
  let into = folder;
  let fileCount = 0;
  const relay = await startPlainRelay(gateway, ({ method, body }) => {
    if (method !== 'POST' || body.length > MAX_KEPT_BYTES) return;
    fileCount += 1;
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, `${String(fileCount).padStart(4, '0')}.json`), body);
  });
  return { ...relay, keepIn: (name) => (into = join(folder, name)) };
}
