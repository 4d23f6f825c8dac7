/**
 * The process of the embedded engine. It loads the library and becomes a ClickHouse server. Only engine-process.ts
 * starts it. Arguments: the path of the library, then `held` (delete no row because of its age) or an empty word, then
 * options of clickhouse-local.
 */
import { realpathSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { DataType, load, open } from 'ffi-rs';
import { giveBackPages } from './give-back-pages.ts';

const [libraryPath = '', deletion = '', ...options] = process.argv.slice(2);

/**
 * Opens the HTTP listener and keeps the process alive, because the second statement sleeps without end. It asks for a
 * sum, because a sum needs each sleep. For a count the database would skip the sleeps and use a whole core. The
 * statement must not fail, because a failed statement makes the library abort. `numbers()` needs no right.
 */
const HOLD_STATEMENT = deletion === 'held' ? 'SYSTEM STOP TTL MERGES; ' : '';
const STATEMENTS =
  HOLD_STATEMENT +
  'SYSTEM START LISTEN HTTP; SELECT sum(sleepEachRow(3)) FROM numbers(1000000000000) FORMAT Null';

// The process is killed, because the library has no proper stop. Acknowledged rows are in files, so no row is lost.
function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

// The parent has the other end of stdin and writes nothing. When the parent ends, stdin ends.
process.stdin.on('end', endProcess).on('error', endProcess).resume();

// The engine creates files that all users can read, unless the umask forbids it.
process.umask(0o077);

// Requests of visitors have priority over the database when both need a core. Threads inherit the priority from the
// thread that creates them.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const args = ['clickhouse', ...options, '--query', STATEMENTS];
open({ library: 'chdb', path: libraryPath });
// The kernel lists the library under its real path. The path is read now, because an update may remove the file later.
const libraryFile = realpathSync(libraryPath);
// `load` uses its own thread, so that the event loop can notice the end of the parent.
void load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
  runInNewThread: true,
}).then(endProcess, endProcess);

// After this time the tables are normally open. If a start is slower, the engine reads some of the released pages
// again.
const START_MS = 4000;
setTimeout(() => {
  giveBackPages('chdb', [libraryFile, process.execPath]);
}, START_MS);
