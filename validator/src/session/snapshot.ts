import type { Clock, Log } from '@guard/config/contract/ports';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { VERIFIED_TTL_MS } from './cookie.ts';
import { restoreContent, snapshotContent, type Snapshotted } from './snapshot-content.ts';
import { readSnapshotFile, writeSnapshotFile } from './snapshot-file.ts';

const FILE_NAME = 'store.snapshot';
const EVERY_MS = 60_000;

interface SnapshotOptions extends Snapshotted {
  /** The folder of the snapshot. It is created when it is missing. Only one process may write to it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes the content of a store in memory to disk, every minute and at `close`. No fault ends the process: an unusable
 * file is renamed. Without a file, visitors have to pass the challenge again.
 */
export class Snapshot {
  readonly #options: SnapshotOptions;
  readonly #path: string;
  #timer: NodeJS.Timeout | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  #failing = false;

  /** Restores the last snapshot. Resolves when it is restored. Never rejects. */
  static async open(options: SnapshotOptions): Promise<Snapshot> {
    const snapshot = new Snapshot(options);
    try {
      await mkdir(options.folder, { recursive: true, mode: 0o700 });
      await snapshot.#restore();
    } catch (error) {
      options.log('error', 'store_snapshot_unreadable', { reason: reasonOf(error) });
    }
    snapshot.#writeLater();
    return snapshot;
  }

  private constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#path = join(options.folder, FILE_NAME);
  }

  /** Writes the last snapshot, after the last change. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#lastWrite;
    await this.#write();
  }

  async #restore(): Promise<void> {
    const { clock, log } = this.#options;
    const file = await readSnapshotFile(this.#path);
    switch (file.kind) {
      case 'none':
        return;
      case 'damaged':
        await rename(this.#path, `${this.#path}.bad`);
        log('warn', 'store_snapshot_set_aside', { reason: file.reason });
        return;
      case 'whole': {
        const times = { nowMs: clock(), maxTtlMs: VERIFIED_TTL_MS };
        const sessions = await restoreContent(file.content, this.#options, times);
        log('info', 'store_snapshot_restored', { sessions });
      }
    }
  }

  #writeLater(): void {
    this.#timer = setTimeout(() => {
      this.#lastWrite = this.#write().then(() => {
        this.#writeLater();
      });
    }, EVERY_MS);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const { log } = this.#options;
    try {
      await writeSnapshotFile(this.#path, snapshotContent(this.#options));
      if (this.#failing) log('info', 'store_snapshot_written_again');
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) log('error', 'store_snapshot_failed', { reason: reasonOf(error) });
      this.#failing = true;
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
