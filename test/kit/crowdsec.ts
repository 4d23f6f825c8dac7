import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { freePort } from './free-port.ts';
import { type ListeningProgram, startListening } from './listening-program.ts';

/** A CrowdSec agent of Debian on loopback: its local API alone, without logs to read and without its vendor. */
export interface Crowdsec {
  readonly url: string;
  /** Of the bouncer that Guard is. */
  readonly key: string;
  /** `cscli decisions …`. */
  decide(...args: readonly string[]): Promise<void>;
  start(): Promise<void>;
  /** Ends it, so that it is away; it remembers its decisions. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function openCrowdsec(): Promise<Crowdsec> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-crowdsec-'));
  const port = await freePort();
  const at = (name: string) => join(folder, name);
  const config = at('config.yaml');
  const settings = {
    common: { daemonize: false, log_media: 'stdout', log_dir: folder, working_dir: folder },
    config_paths: {
      config_dir: folder,
      data_dir: folder,
      simulation_path: at('simulation.yaml'),
      hub_dir: at('hub'),
      index_path: at('hub/.index.json'),
      notification_dir: at('notifications'),
      plugin_dir: at('plugins'),
    },
    cscli: { output: 'human' },
    db_config: { type: 'sqlite', db_path: at('decisions.db'), use_wal: true },
    api: {
      client: { credentials_path: at('credentials.yaml') },
      server: { listen_uri: `127.0.0.1:${port}`, profiles_path: at('profiles.yaml') },
    },
    prometheus: { enabled: false },
  };
  for (const name of ['hub', 'notifications', 'plugins']) mkdirSync(at(name));
  writeFileSync(config, stringify(settings));
  writeFileSync(at('simulation.yaml'), 'simulation: off\n');
  writeFileSync(at('hub/.index.json'), '{}');
  const profile = {
    name: 'none',
    filters: ['false'],
    decisions: [{ type: 'ban', duration: '4h' }],
  };
  writeFileSync(at('profiles.yaml'), stringify(profile));
  const cscli = (...args: readonly string[]): string =>
    execFileSync('cscli', ['-c', config, ...args], { encoding: 'utf8', stdio: 'pipe' });
  cscli('machines', 'add', 'guard-test', '--auto', '-f', at('credentials.yaml'));
  const key = cscli('bouncers', 'add', 'guard', '-o', 'raw').trim();
  // Its own folder goes with a program, and the decisions are to stay.
  const home = await mkdtemp(join(tmpdir(), 'guard-crowdsec-home-'));
  let running: ListeningProgram | undefined;
  const stop = async (): Promise<void> => {
    await running?.close();
    running = undefined;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    async decide(...args) {
      await promisify(execFile)('cscli', ['-c', config, 'decisions', ...args]);
    },
    async start() {
      running = await startListening(['crowdsec', '-c', config, '-no-cs'], port, home);
    },
    stop,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
