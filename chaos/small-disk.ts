import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ground, scratch } from './ground.ts';

/** Room for a database that has just been made, and some more. */
const SIZE_MIB = 128;
const MIB = 1024 * 1024;
const PAGE_BYTES = 4096;

/** A file system of its own, on which nothing can be written from when it is filled: ext4 in a file, else tmpfs. */
export interface SmallDisk {
  readonly folder: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
}

/**
 * Why there can be none: root may mount, and others may not. A limit for the size of files (RLIMIT_FSIZE)
 * would not do in its place: ClickHouse takes its EFBIG for success, and leaves empty files.
 */
export function noSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'guard-chaos-'));
  try {
    if (!mount(folder)) return 'this user may not mount a file system';
    unmount(folder);
    return undefined;
  } finally {
    rmdirSync(folder);
  }
}

export async function makeSmallDisk(ground: Ground): Promise<SmallDisk> {
  const folder = await scratch(ground);
  if (!mount(folder)) throw new Error(`cannot mount at ${folder}`);
  ground.behind(() => unmount(folder));
  const filler = join(folder, 'filler');
  return {
    folder,
    async fill() {
      const file = await open(filler, 'a');
      try {
        for (const bytes of [MIB, PAGE_BYTES]) {
          while (await writes(file, Buffer.alloc(bytes)));
        }
      } finally {
        await file.close();
      }
    },
    empty: () => rm(filler),
  };
}

function mount(folder: string): boolean {
  const image = imageOf(folder);
  writeFileSync(image, '');
  truncateSync(image, SIZE_MIB * MIB);
  // Without a journal and room kept for root, all of it is for the database, as on a tmpfs.
  const format = ['-q', '-m', '0', '-O', '^has_journal', image];
  return (
    (does('mkfs.ext4', format) && does('mount', ['-o', 'loop', image, folder])) ||
    does('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'guard-chaos', folder])
  );
}

function unmount(folder: string): void {
  does('umount', [folder]);
  rmSync(imageOf(folder), { force: true });
}

function imageOf(folder: string): string {
  return `${folder}.image`;
}

function does(program: string, options: readonly string[]): boolean {
  return spawnSync(program, options, { stdio: 'ignore' }).status === 0;
}

function writes(file: FileHandle, block: Uint8Array): Promise<boolean> {
  return file.write(block).then(
    ({ bytesWritten }) => bytesWritten === block.length,
    () => false,
  );
}
