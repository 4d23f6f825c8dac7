import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface EngineProcess {
  readonly pid: number | undefined;
  /** Resolves with the last words of the process when it has ended, however it ended. */
  readonly ended: Promise<string>;
  /** Ends it at once. Nothing acknowledged is lost by that. */
  kill(): Promise<void>;
}

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url));
const MAX_LAST_WORDS = 2048;

/** Starts the engine on a loopback port. It ends itself when this process ends. */
export function startEngineProcess(options: {
  readonly libraryPath: string;
  readonly dataPath: string;
  readonly configPath: string;
  readonly port: number;
  /** No row is deleted for its age. */
  readonly holdDeletion?: boolean;
}): EngineProcess {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      HOST,
      options.libraryPath,
      options.holdDeletion ? 'held' : '',
      `--config-file=${options.configPath}`,
      `--path=${options.dataPath}/`,
      `--http_port=${options.port}`,
      '--listen_host=127.0.0.1',
    ],
    // An empty environment: nothing that runs in there may find a secret of ours.
    { env: { TZ: 'UTC' }, stdio: ['pipe', 'ignore', 'pipe'], cwd: options.dataPath },
  );
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-MAX_LAST_WORDS);
  });
  // A write to a process that has gone; its end is reported by `ended`.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      resolve(lastWords.trim() || `exit ${code ?? signal ?? 'unknown'}`);
    });
  });
  return {
    pid: child.pid,
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * A TCP port of 127.0.0.1 that was free a moment ago. Should another process take it in between, the
 * engine fails to start and the next attempt takes another.
 */
export async function freeLoopbackPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
