/**
 * The embedded engine's process: loads the library and becomes a ClickHouse server. Only
 * engine-process.ts starts it.
 *
 * Arguments: the library's path, `held` where no row may be deleted for its age, else an empty word, then
 * options of clickhouse-local.
 */
import { realpathSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { DataType, load, open } from 'ffi-rs';
import { giveBackPages } from './give-back-pages.ts';

const [libraryPath = '', deletion = '', ...options] = process.argv.slice(2);

/**
 * Opens the HTTP listener and then stays: the second statement sleeps and never ends. Its sum needs
 * each sleep; a count would not, and the database would leave the sleep out and keep a core busy.
 * It must not fail, since a failed statement ends the library with an abort; `numbers()` needs no
 * right.
 */
const HOLD = deletion === 'held' ? 'SYSTEM STOP TTL MERGES; ' : '';
const STATEMENTS =
  HOLD +
  'SYSTEM START LISTEN HTTP; SELECT sum(sleepEachRow(3)) FROM numbers(1000000000000) FORMAT Null';

// The library has no orderly stop, and needs none: what it acknowledged is in its files.
function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

// The parent holds the other end of stdin and writes nothing: its end is the parent's end.
process.stdin.on('end', endProcess).on('error', endProcess).resume();

// The engine makes files that all can read, where the umask lets it.
process.umask(0o077);

// Visitors go first: where both want a core, the database waits. Threads have it from who begins them.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const args = ['clickhouse', ...options, '--query', STATEMENTS];
open({ library: 'chdb', path: libraryPath });
// As the kernel names it; an update may take the file away later.
const libraryFile = realpathSync(libraryPath);
// A thread of its own: the event loop stays free to see the parent go.
void load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
  runInNewThread: true,
}).then(endProcess, endProcess);

// The tables are open by then. A start that takes longer reads again what it still needs.
const START_MS = 4000;
setTimeout(() => {
  giveBackPages('chdb', [libraryFile, process.execPath]);
}, START_MS);
