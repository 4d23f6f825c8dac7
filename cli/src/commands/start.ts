import { readPlaces } from '../demo/places.ts';
import { createCommand } from '../command-line/command.ts';
import { CONFIG_OPTION, switchOption, USUAL_FILE, valueOption } from '../command-line/options.ts';
import { settingsFile } from '../command-line/read-settings.ts';

export const start = createCommand({
  name: 'start',
  summary: 'Start the services that the settings file lists under `listen`.',
  isService: true,
  usage: [
    'guard start [--config FILE] [--no-watch] [--json]',
    'guard start --demo [--port N] [--host ADDRESS] [--json]',
  ],
  about: `Guard is ready when it prints its addresses, and when GET /ready on the admin listener answers 200.
On SIGTERM or Ctrl-C it finishes the requests under way, writes the last events, and ends.`,
  options: {
    config: {
      ...CONFIG_OPTION,
      help: `the settings file (see guard.yaml in the documentation);\ndefault ${USUAL_FILE} in this folder`,
    },
    demo: switchOption(
      'run a small shop behind the gateway, on loopback only, with keys made on first use',
    ),
    port: valueOption(
      'N',
      'with --demo: the port of the gateway instead of 8080; the other ports\nmove by the same distance; 0 picks free ports',
    ),
    host: valueOption(
      'ADDRESS',
      'with --demo: let other machines reach the shop at this address, under\nany host name (0.0.0.0: at all addresses of this machine)',
    ),
    'no-watch': switchOption('read the settings again on SIGHUP only, not when a file changes'),
    json: switchOption('when ready, print one JSON line with the addresses, and nothing else'),
  },
  notes: `The settings are read again on SIGHUP, and when one of their files changes. A file with mistakes
changes nothing: the last good settings stay in use, and the log says what is wrong.`,
  exits:
    '0 stopped by a signal, 1 the settings are refused or cannot be applied, 2 called wrongly.',
  async run({ values, positionals }) {
    const { config, demo, port, host, json } = values;
    const [word] = positionals;
    if (word !== undefined) return `unexpected word: ${word}; write guard start --config ${word}`;
    if (demo && config !== undefined) return 'give either --config FILE or --demo';
    if (!demo && (port ?? host) !== undefined) {
      return '--port and --host are for the demo; guard.yaml has its own `listen`';
    }
    const file = demo ? undefined : settingsFile(config);
    if (typeof file === 'object')
      return `${file.why}, write one with guard init, or try guard start --demo`;
    const places = readPlaces(port, host);
    if (typeof places === 'string') return places;
    const watch = !values['no-watch'];
    // The module is loaded on demand: the services are large, and `guard --help` does not need them.
    const { startDemo, startFrom } = await import('../start/launch.ts');
    return file === undefined
      ? startDemo(places, { json, watch })
      : startFrom(file, { json, watch });
  },
});
