import type { Session } from '@guard/config/contract/ports';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SharedMemory } from './memory-store.ts';
import { readStoredSession, writeStoredSession } from './stored-session.ts';

export interface Snapshotted {
  readonly memory: SharedMemory;
  readonly store: {
    sessions(): Iterable<readonly [id: string, session: Session, expiresAt: number]>;
    /** Stores a session that was judged before. `expiresAt` is in epoch milliseconds. */
    adopt(id: string, session: Session, expiresAt: number): void;
  };
}

const TABLES = ['spent', 'budgets'] as const satisfies readonly (keyof SharedMemory)[];

/**
 * Number of bytes of a snapshot that are made in one turn of the event loop. So requests wait at most a millisecond.
 */
const BYTES_A_TURN = 256 * 1024;
const SESSIONS_A_TURN = 200;
/** The size of a page of memory. */
const PAGE_BYTES = 4096;
const EMPTY_PAGE = Buffer.alloc(PAGE_BYTES);
/** Limit for a line. No version of Guard has written a longer line. Earlier versions wrote the User-Agent too. */
const MAX_LINE_BYTES = 2_048;

/**
 * Returns spent tickets, budgets and sessions as bytes. It works in small parts, and requests can change the store
 * between the parts. A slot that another thread is writing can be saved half-written. At worst one counter or spent
 * ticket is wrong.
 */
export async function* snapshotContent({ memory, store }: Snapshotted): AsyncGenerator<Buffer> {
  const sizes = TABLES.map((table) => memory[table].byteLength);
  yield Buffer.from(`${sizes.join(' ')}\n`);
  for (const table of TABLES) {
    for (let at = 0; at < memory[table].byteLength; at += BYTES_A_TURN) {
      const length = Math.min(BYTES_A_TURN, memory[table].byteLength - at);
      yield Buffer.from(new Uint8Array(memory[table], at, length));
      await nextTurn();
    }
  }
  let lines: string[] = [];
  for (const [id, session, expiresAt] of store.sessions()) {
    const line = `${id} ${writeStoredSession(session, expiresAt)}\n`;
    if (Buffer.byteLength(line) <= MAX_LINE_BYTES) lines.push(line);
    if (lines.length < SESSIONS_A_TURN) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
    await nextTurn();
  }
  yield Buffer.from(lines.join(''));
}

/**
 * Restores the output of {@link snapshotContent} into a new store. Returns the number of restored sessions. Tables of
 * another size are not restored. No session lives longer than `maxTtlMs`, because the clock can have been set back.
 */
export async function restoreContent(
  content: AsyncIterable<Buffer>,
  { memory, store }: Snapshotted,
  { nowMs, maxTtlMs }: { readonly nowMs: number; readonly maxTtlMs: number },
): Promise<number> {
  const reader = new ByteReader(content);
  const sizes = ((await reader.line()) ?? '').split(' ').map(Number);
  for (const [index, table] of TABLES.entries()) {
    const size = sizes[index] ?? 0;
    const target = new Uint8Array(memory[table]);
    const isSameSize = size === target.length;
    for (let at = 0; at < size;) {
      const part = await reader.readSome(size - at);
      if (part === undefined) return 0;
      if (isSameSize) writeUsedPages(target.subarray(at), part);
      at += part.length;
    }
  }
  let restoredCount = 0;
  for (let line = await reader.line(); line !== undefined; line = await reader.line()) {
    const [id, session] = readLine(line);
    if (session === undefined || session.expiresAt <= nowMs) continue;
    store.adopt(id, session, Math.min(session.expiresAt, nowMs + maxTtlMs));
    restoredCount += 1;
  }
  return restoredCount;
}

/**
 * Copies the pages of `content` that are not empty into a table that is still empty. It neither reads nor writes the
 * other pages of the table, because some kernels allocate memory for a page at its first read.
 */
function writeUsedPages(target: Uint8Array, content: Buffer): void {
  for (let at = 0; at < content.length; at += PAGE_BYTES) {
    const page = content.subarray(at, at + PAGE_BYTES);
    if (!page.equals(EMPTY_PAGE.subarray(0, page.length))) target.set(page, at);
  }
}

function readLine(line: string) {
  const space = line.indexOf(' ');
  return [line.slice(0, Math.max(0, space)), readStoredSession(line.slice(space + 1))] as const;
}

/** Reads lines and blocks from bytes that arrive in pieces. */
class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #unreadBytes: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Returns at least one byte and at most `max` bytes. Undefined at the end. */
  async readSome(max: number): Promise<Buffer | undefined> {
    if (this.#unreadBytes.length === 0 && !(await this.#readPiece())) return undefined;
    const part = this.#unreadBytes.subarray(0, max);
    this.#unreadBytes = this.#unreadBytes.subarray(part.length);
    return part;
  }

  /** Returns the next line without its newline. Undefined after the last line. */
  async line(): Promise<string | undefined> {
    let end = this.#unreadBytes.indexOf(10);
    while (end === -1) {
      if (this.#unreadBytes.length > MAX_LINE_BYTES || !(await this.#readPiece())) return undefined;
      end = this.#unreadBytes.indexOf(10);
    }
    const line = this.#unreadBytes.toString('utf8', 0, end);
    this.#unreadBytes = this.#unreadBytes.subarray(end + 1);
    return line;
  }

  async #readPiece(): Promise<boolean> {
    const next = await this.#pieces.next();
    if (next.done === true) return false;
    this.#unreadBytes =
      this.#unreadBytes.length === 0 ? next.value : Buffer.concat([this.#unreadBytes, next.value]);
    return true;
  }
}
