import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { freePort } from '../free-port.ts';
import { type ListeningProgram, startListening } from '../listening-program.ts';

/** Files of Debian's package that the reader of logs needs. */
const PATTERNS = '/etc/crowdsec/patterns';
const HUB_PARSERS = '/usr/share/crowdsec/hub/parsers';
const HUB_FILES = [
  's00-raw/crowdsecurity/syslog-logs',
  's02-enrich/crowdsecurity/dateparse-enrich',
];
const EXAMPLE = join(import.meta.dirname, '../../../examples/crowdsec');

/**
 * The CrowdSec agent of Debian on loopback, without requests to its vendor. It has its local API, and its reader of
 * logs with the files of examples/crowdsec/. When a scenario overflows, the agent bans the address.
 */
export interface Crowdsec {
  readonly url: string;
  /** The API key of the bouncer. */
  readonly key: string;
  /** Runs `cscli decisions …`. */
  decide(...args: readonly string[]): Promise<void>;
  /** The ids of all current decisions on an address. */
  decisionIdsOn(ip: string): Promise<readonly number[]>;
  /** The output of `cscli explain` for lines of this type. */
  explain(type: string, lines: readonly string[]): Promise<string>;
  /**
   * Runs a second crowdsec process, which reads lines of this type and reports to the local API. Resolves with its log
   * when it has ended.
   */
  read(type: string, lines: readonly string[]): Promise<string>;
  start(): Promise<void>;
  /** Stops the local API. Its decisions stay on disk. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function openCrowdsec(): Promise<Crowdsec> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-crowdsec-'));
  const port = await freePort();
  const inFolder = (name: string) => join(folder, name);
  const configFile = inFolder('config.yaml');
  const settings = {
    common: { daemonize: false, log_media: 'stdout', log_dir: folder, working_dir: folder },
    config_paths: {
      config_dir: folder,
      data_dir: folder,
      simulation_path: inFolder('simulation.yaml'),
      hub_dir: inFolder('hub'),
      index_path: inFolder('hub/.index.json'),
      notification_dir: inFolder('notifications'),
      plugin_dir: inFolder('plugins'),
    },
    crowdsec_service: { acquisition_path: inFolder('acquis.yaml'), parser_routines: 1 },
    cscli: { output: 'human' },
    db_config: { type: 'sqlite', db_path: inFolder('decisions.db'), use_wal: true },
    api: {
      client: { credentials_path: inFolder('credentials.yaml') },
      server: { listen_uri: `127.0.0.1:${port}`, profiles_path: inFolder('profiles.yaml') },
    },
    prometheus: { enabled: false },
  };
  for (const name of ['hub', 'notifications', 'plugins']) mkdirSync(inFolder(name));
  for (const name of ['parsers', 'scenarios']) {
    cpSync(join(EXAMPLE, name), inFolder(name), { recursive: true });
  }
  cpSync(PATTERNS, inFolder('patterns'), { recursive: true });
  for (const name of HUB_FILES) {
    const [stage = '', , file = ''] = name.split('/');
    cpSync(join(HUB_PARSERS, `${name}.yaml`), inFolder(`parsers/${stage}/${file}.yaml`));
  }
  writeFileSync(configFile, stringify(settings));
  writeFileSync(inFolder('simulation.yaml'), 'simulation: off\n');
  writeFileSync(inFolder('acquis.yaml'), '');
  const index = { parsers: {}, scenarios: {}, postoverflows: {}, collections: {} };
  writeFileSync(inFolder('hub/.index.json'), JSON.stringify(index));
  const profile = {
    name: 'ban',
    filters: ['Alert.Remediation == true'],
    decisions: [{ type: 'ban', duration: '4h' }],
  };
  writeFileSync(inFolder('profiles.yaml'), stringify(profile));
  const cscli = (...args: readonly string[]): string =>
    execFileSync('cscli', ['-c', configFile, ...args], { encoding: 'utf8', stdio: 'pipe' });
  cscli('machines', 'add', 'guard-test', '--auto', '-f', inFolder('credentials.yaml'));
  const key = cscli('bouncers', 'add', 'guard', '-o', 'raw').trim();
  // `startListening` removes `home` when the program ends. The decisions are in `folder`, because they have to stay.
  const home = await mkdtemp(join(tmpdir(), 'guard-crowdsec-home-'));
  let logCount = 0;
  const writeLogFile = (lines: readonly string[]): string => {
    const file = inFolder(`${(logCount += 1)}.log`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };
  let running: ListeningProgram | undefined;
  const stop = async (): Promise<void> => {
    await running?.close();
    running = undefined;
  };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    key,
    async decide(...args) {
      await promisify(execFile)('cscli', ['-c', configFile, 'decisions', ...args]);
    },
    async decisionIdsOn(ip) {
      const headers = { 'x-api-key': key };
      const answer = await fetch(`${url}/v1/decisions?ip=${ip}`, { headers });
      return ((await answer.json()) as { id: number }[]).map(({ id }) => id);
    },
    async explain(type, lines) {
      const file = writeLogFile(lines);
      const args = ['-c', configFile, 'explain', '--file', file, '--type', type, '--verbose'];
      return (await promisify(execFile)('cscli', args)).stdout;
    },
    async read(type, lines) {
      const file = writeLogFile(lines);
      const args = ['-c', configFile, '-dsn', `file://${file}`, '-type', type, '-no-api'];
      return (await promisify(execFile)('crowdsec', args)).stderr;
    },
    async start() {
      running = await startListening(['crowdsec', '-c', configFile, '-no-cs'], port, home);
    },
    stop,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
