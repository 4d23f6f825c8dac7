import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Trial, makeFolder } from './trial.ts';

/** Room for a new database and some events. */
const SIZE_MIB = 128;
const MIB = 1024 * 1024;
const BLOCK_BYTES = 4096;

/** A separate file system that can be filled: ext4 in a file, or else tmpfs. */
export interface SmallDisk {
  readonly folder: string;
  fill(): Promise<void>;
  removeFiller(): Promise<void>;
}

/**
 * Why this user cannot mount a small disk. Undefined when the user can. Usually only root may. A limit for the size of
 * files (RLIMIT_FSIZE) is no alternative: ClickHouse treats EFBIG as success, and leaves empty files.
 */
export function smallDiskHindrance(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'guard-chaos-'));
  try {
    if (!mount(folder)) return 'this user may not mount a file system';
    unmount(folder);
    return undefined;
  } finally {
    rmdirSync(folder);
  }
}

export async function makeSmallDisk(trial: Trial): Promise<SmallDisk> {
  const folder = await makeFolder(trial);
  if (!mount(folder)) throw new Error(`cannot mount at ${folder}`);
  trial.onEnd(() => unmount(folder));
  const fillerFile = join(folder, 'filler');
  return {
    folder,
    async fill() {
      const file = await open(fillerFile, 'a');
      try {
        for (const bytes of [MIB, BLOCK_BYTES]) {
          while (await writeBlock(file, Buffer.alloc(bytes)));
        }
      } finally {
        await file.close();
      }
    },
    removeFiller: () => rm(fillerFile),
  };
}

function mount(folder: string): boolean {
  const image = imageOf(folder);
  writeFileSync(image, '');
  truncateSync(image, SIZE_MIB * MIB);
  // Without a journal and without reserved blocks, the database can use all of it, as on a tmpfs.
  const mkfsOptions = ['-q', '-m', '0', '-O', '^has_journal', image];
  return (
    (succeeds('mkfs.ext4', mkfsOptions) && succeeds('mount', ['-o', 'loop', image, folder])) ||
    succeeds('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'guard-chaos', folder])
  );
}

function unmount(folder: string): void {
  succeeds('umount', [folder]);
  rmSync(imageOf(folder), { force: true });
}

function imageOf(folder: string): string {
  return `${folder}.image`;
}

function succeeds(program: string, options: readonly string[]): boolean {
  return spawnSync(program, options, { stdio: 'ignore' }).status === 0;
}

function writeBlock(file: FileHandle, block: Uint8Array): Promise<boolean> {
  return file.write(block).then(
    ({ bytesWritten }) => bytesWritten === block.length,
    () => false,
  );
}
