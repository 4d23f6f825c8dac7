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
const OF_HUB = ['s00-raw/crowdsecurity/syslog-logs', 's02-enrich/crowdsecurity/dateparse-enrich'];
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
  idsOf(ip: string): Promise<readonly number[]>;
  /** The output of `cscli explain` for lines of this type. */
  explain(type: string, lines: readonly string[]): Promise<string>;
  /** Lets the agent read lines of this type as new lines. Resolves with its log after it has banned addresses. */
  read(type: string, lines: readonly string[]): Promise<string>;
  start(): Promise<void>;
  /** Stops the agent. It keeps its decisions. */
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
    crowdsec_service: { acquisition_path: at('acquis.yaml'), parser_routines: 1 },
    cscli: { output: 'human' },
    db_config: { type: 'sqlite', db_path: at('decisions.db'), use_wal: true },
    api: {
      client: { credentials_path: at('credentials.yaml') },
      server: { listen_uri: `127.0.0.1:${port}`, profiles_path: at('profiles.yaml') },
    },
    prometheus: { enabled: false },
  };
  for (const name of ['hub', 'notifications', 'plugins']) mkdirSync(at(name));
  for (const name of ['parsers', 'scenarios']) {
    cpSync(join(EXAMPLE, name), at(name), { recursive: true });
  }
  cpSync(PATTERNS, at('patterns'), { recursive: true });
  for (const name of OF_HUB) {
    const [stage = '', , file = ''] = name.split('/');
    cpSync(join(HUB_PARSERS, `${name}.yaml`), at(`parsers/${stage}/${file}.yaml`));
  }
  writeFileSync(config, stringify(settings));
  writeFileSync(at('simulation.yaml'), 'simulation: off\n');
  writeFileSync(at('acquis.yaml'), '');
  const index = { parsers: {}, scenarios: {}, postoverflows: {}, collections: {} };
  writeFileSync(at('hub/.index.json'), JSON.stringify(index));
  const profile = {
    name: 'ban',
    filters: ['Alert.Remediation == true'],
    decisions: [{ type: 'ban', duration: '4h' }],
  };
  writeFileSync(at('profiles.yaml'), stringify(profile));
  const cscli = (...args: readonly string[]): string =>
    execFileSync('cscli', ['-c', config, ...args], { encoding: 'utf8', stdio: 'pipe' });
  cscli('machines', 'add', 'guard-test', '--auto', '-f', at('credentials.yaml'));
  const key = cscli('bouncers', 'add', 'guard', '-o', 'raw').trim();
  // The folder of a program is removed when the program ends. The decisions are in another folder, because they have to
  // stay.
  const home = await mkdtemp(join(tmpdir(), 'guard-crowdsec-home-'));
  let logs = 0;
  const writeConfig = (lines: readonly string[]): string => {
    const file = at(`${(logs += 1)}.log`);
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
      await promisify(execFile)('cscli', ['-c', config, 'decisions', ...args]);
    },
    async idsOf(ip) {
      const headers = { 'x-api-key': key };
      const answer = await fetch(`${url}/v1/decisions?ip=${ip}`, { headers });
      return ((await answer.json()) as { id: number }[]).map(({ id }) => id);
    },
    async explain(type, lines) {
      const file = writeConfig(lines);
      const args = ['-c', config, 'explain', '--file', file, '--type', type, '--verbose'];
      return (await promisify(execFile)('cscli', args)).stdout;
    },
    async read(type, lines) {
      const file = writeConfig(lines);
      const args = ['-c', config, '-dsn', `file://${file}`, '-type', type, '-no-api'];
      return (await promisify(execFile)('crowdsec', args)).stderr;
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
