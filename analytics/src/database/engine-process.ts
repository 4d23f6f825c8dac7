import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface EngineProcess {
  readonly pid: number | undefined;
  /** Resolves when the process has ended for any reason, with the last output of the process. */
  readonly ended: Promise<string>;
  /** Ends the process at once. Acknowledged rows are not lost. */
  kill(): Promise<void>;
}

const ENGINE_SCRIPT = fileURLToPath(new URL('./host.ts', import.meta.url));
const MAX_LAST_OUTPUT_CHARS = 2048;

/** Starts the engine on a loopback port. The engine ends when this process ends. */
export function startEngineProcess(options: {
  readonly libraryPath: string;
  readonly dataPath: string;
  readonly configPath: string;
  readonly port: number;
  /** Stops the deletion of rows by age. */
  readonly stopsDeletion?: boolean;
}): EngineProcess {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      ENGINE_SCRIPT,
      options.libraryPath,
      options.stopsDeletion ? 'held' : '',
      `--config-file=${options.configPath}`,
      `--path=${options.dataPath}/`,
      `--http_port=${options.port}`,
      '--listen_host=127.0.0.1',
    ],
    // The environment is empty, so that the process cannot read Guard's secrets.
    { env: { TZ: 'UTC' }, stdio: ['pipe', 'ignore', 'pipe'], cwd: options.dataPath },
  );
  let lastOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastOutput = (lastOutput + text).slice(-MAX_LAST_OUTPUT_CHARS);
  });
  // Nothing is written to stdin, but its pipe can fail when the process ends. The promise `ended` reports that.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      resolve(lastOutput.trim() || `exit ${code ?? signal ?? 'unknown'}`);
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

/** A TCP port of 127.0.0.1. No other user of the machine can listen on it before `release`. */
export interface HeldPort {
  readonly port: number;
  /**
   * Call `release` when the engine answers. Until then Guard and the engine listen on the port, and Guard gets and
   * closes about half of the connections.
   */
  readonly release: () => void;
}

/**
 * Reserves a free port for the engine, which opens the same port (SO_REUSEPORT). On Linux only the same user can share
 * a port. Without the reservation another user could read the port from the engine's arguments, listen on it first, and
 * get Guard's passwords. On other systems the port is only free at the time of the call, and not reserved.
 */
export async function holdLoopbackPort(): Promise<HeldPort> {
  const reusePort = process.platform === 'linux';
  const server = createServer((socket) => socket.destroy());
  server.listen({ port: 0, host: '127.0.0.1', reusePort });
  await once(server, 'listening');
  // The address of a server that listens on TCP is always an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const release = (): void => void server.close();
  if (!reusePort) {
    release();
    await once(server, 'close');
  }
  return { port, release };
}
