/**
 * Lets a running engine send parts of a table to its replicas. A ClickHouse server has a port for that. The engine that
 * Guard brings has the code too, but it runs as clickhouse-local, which never opens the port. So this file overwrites a
 * few instructions in the memory of an engine that the trial started. It changes no file, and Guard does not use it:
 * `test/architecture.test.ts` lets no package import a file of this folder. The changes:
 *
 * - the next listener for HTTP that is opened serves parts, and no statements;
 * - the server knows its own address for parts, asks other servers for no password, and has an identity;
 * - the engine goes on when a killed server breaks a connection. clickhouse-local would end.
 *
 * The addresses hold for one build of the library. `serveParts` throws for every other build, before it writes.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** Of @chdb/lib-linux-x64-gnu 26.7.3-stable.1, as its section .note.gnu.build-id says. */
const BUILD = 'd3d8f5517577ad52775b52318a193784b2fb5317';
const BUILD_AT = 0x2b8;

/** Where the segment with the code begins. All addresses count from the beginning of the library. */
const CODE = 0x916e000;
/** `createHandlerFactory`: what it makes of the name `HTTPHandler-factory`, and of the name of the other listener. */
const STATEMENTS_AT = 0x18395ffa;
const PARTS_AT = 0x18395dbc;
/** `Context::getInterserverIOAddress`; and room behind what is written there. */
const ADDRESS_AT = 0x1417c9c0;
const ROOM_AT = 0x1417ca10;
const SCHEME_AT = 0x1417cac0;
/** `Context::getInterserverCredentials`. */
const CREDENTIALS_AT = 0x1417c940;
/** `KillingErrorHandler::exception`. */
const TERMINATE_AT = 0xf113480;
/** `ServerUUID`. */
const IDENTITY_AT = 0x228a3a48;

const RETURN_FIRST_ARGUMENT = [0x48, 0x89, 0xf8, 0xc3];
const STRING_BYTES = 24;

/** From now on the engine serves parts at `host` and `port` once it is told to listen there. */
export function serveParts(pid: number, host: string, port: number): void {
  const memory = openSync(`/proc/${pid}/mem`, 'r+');
  try {
    const library = startOfLibrary(pid);
    const buildId = Buffer.alloc(BUILD.length / 2);
    readSync(memory, buildId, 0, buildId.length, library + BUILD_AT);
    if (buildId.toString('hex') !== BUILD) {
      throw new Error(
        `the addresses are those of another build of the library: ${buildId.toString('hex')}`,
      );
    }
    const write = (at: number, ...bytes: readonly (Buffer | readonly number[])[]): void => {
      const message = Buffer.concat(bytes.map((each) => Buffer.from(each)));
      writeSync(memory, message, 0, message.length, library + at);
    };
    write(IDENTITY_AT, randomBytes(16));
    write(
      ADDRESS_AT,
      giveString(host),
      [0x66, 0xc7, 0x47, 0x18, port & 0xff, port >> 8],
      RETURN_FIRST_ARGUMENT,
    );
    write(SCHEME_AT, giveString('http'), RETURN_FIRST_ARGUMENT);
    // No user and no password, and a list of one such pair, as in a server without <interserver_http_credentials>.
    const pair = BigInt(library + ROOM_AT + 3 * STRING_BYTES);
    const end = pair + BigInt(2 * STRING_BYTES);
    write(
      ROOM_AT,
      Buffer.alloc(2 * STRING_BYTES),
      quad(pair),
      quad(end),
      quad(end),
      Buffer.alloc(2 * STRING_BYTES),
    );
    write(
      CREDENTIALS_AT,
      [0x48, 0x8d, 0x05],
      uint64(ROOM_AT - (CREDENTIALS_AT + 7)),
      [0x31, 0xd2, 0xc3],
    );
    write(TERMINATE_AT, [0xc3]);
    write(STATEMENTS_AT, [0xe9], uint64(PARTS_AT - (STATEMENTS_AT + 5)));
  } finally {
    closeSync(memory);
  }
}

function startOfLibrary(pid: number): number {
  const code = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .find((line) => line.includes('libchdb.so') && line.includes(' r-xp '));
  if (code === undefined) throw new Error('the engine has not loaded its library');
  return Number.parseInt(code.split('-')[0] ?? '', 16) - CODE;
}

/** Instructions that write a short std::string where the first argument points. */
function giveString(text: string): Buffer {
  const string = Buffer.alloc(STRING_BYTES);
  string.write(text);
  string[STRING_BYTES - 1] = text.length;
  return Buffer.concat(
    [0, 8, 16].flatMap((offset) => [
      Buffer.from([0x48, 0xb8]),
      string.subarray(offset, offset + 8),
      Buffer.from([0x48, 0x89, 0x47, offset]),
    ]),
  );
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function quad(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
