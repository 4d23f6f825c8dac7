import { inertJson } from '@guard/config/settings/problems/problems';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { environmentFileOf } from '@guard/config/settings/reading/environment';
import { APPLICATIONS } from '../applications/applications.ts';
import { APPLICATION_NAMES } from '../applications/recognise.ts';
import { probeOrigins } from '../check/probe-origins.ts';
import { createCommand } from '../command-line/command.ts';
import { switchOption, USUAL_FILE, valueOption } from '../command-line/options.ts';
import { readSettings } from '../command-line/read-settings.ts';
import { askQuestions, openTerminal } from '../init/ask-questions.ts';
import { type Answers, QUESTION_NAMES } from '../init/answers.ts';
import { chooseApplication, type ApplicationChoice } from '../init/choose-application.ts';
import { GATEWAY_PORT, settingsText } from '../init/settings-text.ts';
import { fileFault } from '../terminal/faults.ts';
import { reportFailure, print } from '../terminal/terminal.ts';

export const init = createCommand({
  name: 'init',
  summary: 'Ask five questions and write a settings file for your site.',
  usage: [
    'guard init',
    'guard init --site HOSTS --origin URL [--front WHAT] [--events WHERE] [--mode MODE] [--yes]',
    'guard init --application NAME|none [--offline] …',
  ],
  about: `Writes a settings file with comments, and beside it a file that ends in .env with the secrets,
which only you can read. Then it checks whether your application answers, and says what to do next.
Each question has an option. Guard does not ask a question whose option you give.

It asks the origin for its front page, /robots.txt and at most three more pages, in five seconds
at most. When these pages show a known application, the settings get its presets and rules, with the
reason for each. On a terminal, Guard asks you first.`,
  options: {
    into: {
      ...valueOption(
        'FILE',
        `the settings file to write (default ${USUAL_FILE}); must not exist`,
        'file',
      ),
      default: USUAL_FILE,
    },
    site: valueOption('HOSTS', 'host names of the site: shop.example,www.shop.example'),
    origin: valueOption('URL', 'where your application listens'),
    front: valueOption(
      'WHAT',
      'what stands in front of Guard: nothing, local (a proxy on this\nmachine), or the addresses of your proxies',
      ['nothing', 'local'],
    ),
    events: valueOption('WHERE', 'where events go: embedded, none, or the URL of your ClickHouse', [
      'embedded',
      'none',
    ]),
    mode: valueOption('MODE', 'the mode: observe (nothing is enforced yet) or enforce', [
      'observe',
      'enforce',
    ]),
    application: valueOption(
      'NAME',
      `add the presets and rules of this application, or of none, and do not
recognise it: ${APPLICATION_NAMES.slice(0, 6).join(', ')},
${APPLICATION_NAMES.slice(6, 12).join(', ')},
${APPLICATION_NAMES.slice(12).join(', ')}`,
      [...APPLICATION_NAMES, 'none'],
    ),
    offline: switchOption(
      'send nothing to the origin: do not recognise an application, and do not\ncheck whether the origin answers',
    ),
    yes: switchOption('ask nothing: use the default for each option that is missing'),
    json: switchOption('one JSON object; asks nothing, as --yes'),
  },
  exits: '0 written, 1 the file already exists or cannot be written, 2 called wrongly.',
  async run({ values, positionals }) {
    const [more] = positionals;
    if (more !== undefined) return `unexpected word: ${more}`;
    const { into, json } = values;
    const openQuestions = QUESTION_NAMES.filter((option) => values[option] === undefined);
    const asksNothing = values.yes || json || openQuestions.length === 0;
    if (!asksNothing && !process.stdin.isTTY) {
      const missing = openQuestions.map((option) => `--${option}`).join(', ');
      return `there is no terminal for questions; add --yes, and set ${missing} if the defaults are wrong`;
    }
    const files = [into, environmentFileOf(into)];
    const existingFile = files.find((file) => existsSync(file));
    if (existingFile !== undefined) {
      const advice = 'name another file: --into FILE';
      return reportFailure('init', `${existingFile} is there already; ${advice}`);
    }
    const terminal = asksNothing ? undefined : openTerminal();
    try {
      const answers = await askQuestions(values, terminal?.ask);
      if (typeof answers === 'string') return answers;
      const choice = await chooseApplication(answers, values, terminal?.ask);
      return typeof choice === 'string' ? choice : await writeFiles(answers, choice, values);
    } finally {
      terminal?.close();
    }
  },
});

async function writeFiles(
  answers: Answers,
  { application, note }: ApplicationChoice,
  { into, json, offline }: { into: string; json: boolean; offline: boolean },
): Promise<number> {
  const secrets = environmentFileOf(into);
  try {
    mkdirSync(dirname(into), { recursive: true });
    writeNew(secrets, secretsText(answers), 0o600);
    try {
      writeNew(into, settingsText(answers, application && APPLICATIONS[application]), 0o666);
    } catch (error) {
      rmSync(secrets);
      throw error;
    }
  } catch (error) {
    return reportFailure('init', `${into}: ${fileFault(error)}`);
  }
  // Reads the new files in the same way as guard start. If they have a problem, it is printed.
  const settings = readSettings(into)?.settings;
  if (settings === undefined) return 1;
  const faults = offline ? [] : await probeOrigins(settings.sites);
  const notes = [...faults.map(({ message }) => message), ...(note === undefined ? [] : [note])];
  const steps = nextSteps(answers, into);
  if (json) {
    const names = { settings: into, secrets, application: application ?? null };
    print(inertJson({ ...names, notes, next: steps }));
    return 0;
  }
  const noteLines = notes.map((noteText) => `Note: ${noteText}.`);
  const isAnswering = !offline && faults.length === 0;
  print(
    [
      `Wrote ${into}, and ${secrets} with its secrets (only you can read it).`,
      ...(isAnswering ? [`${answers.origin} answers.`] : []),
      ...noteLines,
      '',
      'Next:',
      ...steps.map((step) => `  ${step}`),
    ].join('\n'),
  );
  return 0;
}

/** Writes a new file completely, or leaves no file. Otherwise a full disk would leave an empty file. */
function writeNew(file: string, text: string, mode: number): void {
  const descriptor = openSync(file, 'wx', mode);
  try {
    writeFileSync(descriptor, text);
  } catch (error) {
    rmSync(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function secretsText({ events }: Answers): string {
  const lines = [
    '# Values of the settings file beside this file. Keep this file secret.',
    `GUARD_SECRET=${randomBytes(32).toString('base64url')}`,
    ...(events === 'none'
      ? []
      : [`ANALYTICS_KEY=sk_api_ro_${randomBytes(32).toString('base64url')}`]),
    ...(typeof events === 'object'
      ? [
          '# Of the account guard of your ClickHouse.',
          `CLICKHOUSE_PASSWORD=${randomBytes(24).toString('base64url')}`,
        ]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

function nextSteps({ site, front, events, mode }: Answers, into: string): string[] {
  const [host = '*'] = site;
  const page = 'on the page "Protect a site" of the documentation';
  const hostOption = host.includes('*') ? '' : `-H 'Host: ${host}' `;
  return [
    ...(typeof events === 'object'
      ? [
          `make the account guard in your ClickHouse, with the password in ${environmentFileOf(into)}`,
        ]
      : []),
    into === USUAL_FILE ? 'guard start' : `guard start --config ${into}`,
    `curl -i ${hostOption}http://127.0.0.1:${GATEWAY_PORT}/`,
    front.length === 0
      ? `lead your visitors to port ${GATEWAY_PORT}; ports 80 and 443, and certificates, are ${page}`
      : `let your proxy pass requests to port ${GATEWAY_PORT}; the lines for nginx, Caddy and HAProxy are ${page}`,
    ...(mode === 'observe'
      ? [
          `remove observe: true from ${into} when the events are as you expect: visitors are challenged`,
          'later remove monitor: true, too: what is found is blocked, for example AI crawlers',
        ]
      : []),
  ];
}
