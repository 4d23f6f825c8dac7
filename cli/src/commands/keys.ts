import { inertJson } from '@guard/config/settings/problems/problems';
import { randomBytes } from 'node:crypto';
import { ExpiryDate } from '@guard/config/settings/values/values';
import { alignColumns } from '../terminal/layout.ts';
import { deleteKey, writeKey } from '../keys/edit-keys.ts';
import { type KeyKind, KINDS, LIST_OF, listKeys } from '../keys/list-keys.ts';
import { print, reportFailure } from '../terminal/terminal.ts';
import { chooseOrganisation, organisationIds } from '../command-line/choose-organisation.ts';
import { createCommand } from '../command-line/command.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import { CONFIG_OPTION, switchOption, valueOption } from '../command-line/options.ts';

/** A key has 256 random bits, so it cannot be guessed from its hash. */
const KEY_BYTES = 32;
const PREFIX: Readonly<Record<KeyKind, string>> = { analytics: 'sk_api_ro_', secret: 'sk_' };

export const keys = createCommand({
  name: 'keys',
  summary: 'Make, list and revoke the keys of an organisation.',
  usage: [
    'guard keys create --id NAME [--organisation ID] [--expires DATE] [--config FILE] [--json]',
    'guard keys list [--organisation ID] [--config FILE] [--json]',
    'guard keys revoke --id NAME [--organisation ID] [--config FILE] [--json]',
  ],
  about: `create   makes a key and puts its SHA-256 into the settings file. The key itself is printed
         once, alone on standard output, and kept nowhere
list     id, organisation, kind, last day and state of each key, never a key or its hash
revoke   removes a key from the settings file`,
  options: {
    config: CONFIG_OPTION,
    organisation: valueOption('ID', 'needed when the file has several organisations'),
    id: valueOption('NAME', 'the name of the key in the file; use one key for each purpose'),
    kind: {
      ...valueOption(
        'KIND',
        `the kind: analytics (default; sk_api_ro_…, for /query and /mcp)
or secret (sk_…, x-api-key of /validate)`,
        KINDS,
      ),
      default: 'analytics',
    },
    expires: valueOption('DATE', 'last day of the key, such as 2027-06-30, UTC'),
    json: switchOption('one JSON value, nothing else'),
  },
  operand: ['create', 'list', 'revoke'],
  notes: `Only the entry of the key changes: comments and layout stay, and the file is replaced in one
step. The file must be valid (guard check) with the environment of guard start. A running
Guard applies the change by itself within a second or two, and at once on SIGHUP.`,
  exits: '0 done, 1 refused and nothing changed, 2 called wrongly.',
  async run({ values, positionals }) {
    const [action, more] = positionals;
    const kind = KINDS.find((name) => name === values.kind);
    const config = settingsFile(values.config);
    if (typeof config !== 'string') return config.why;
    if (kind === undefined) return '--kind is analytics or secret';
    if (more !== undefined) return `unexpected word: ${more}`;
    const { organisation, id, expires, json } = values;
    const call = { config, organisation, kind, json };
    switch (action) {
      case 'list':
        return list(call);
      case 'create':
        return id === undefined ? 'name the key: --id' : createKey(call, id, expires);
      case 'revoke':
        return id === undefined ? 'name the key: --id' : revokeKey(call, id);
      case undefined:
      default:
        return 'name an action: create, list or revoke';
    }
  },
});

interface KeysCall {
  readonly config: string;
  readonly organisation: string | undefined;
  readonly kind: KeyKind;
  readonly json: boolean;
}

function list({ config, organisation, json }: KeysCall): number {
  const settings = readSettings(config)?.settings;
  if (!settings) return 1;
  const { organisations } = settings;
  if (organisation !== undefined && !organisations.some(({ id }) => id === organisation)) {
    return reportFailure(
      'keys',
      `no organisation has the id ${organisation}; there are ${organisationIds(settings)}`,
    );
  }
  const views = listKeys(settings, organisation, Date.now());
  const rows = views.map(({ id, organisation: owner, kind, expires, state }) => [
    ...[id, owner, kind, expires ?? 'no end', state],
  ]);
  const head = ['ID', 'ORGANISATION', 'KIND', 'LAST DAY', 'STATE'];
  print(json ? inertJson(views) : alignColumns([head, ...rows]).join('\n'));
  return 0;
}

async function createKey(
  call: KeysCall,
  id: string,
  expires: string | undefined,
): Promise<number | string> {
  const { config, kind, json } = call;
  const fault = faultOf(id, expires);
  if (fault !== undefined) return fault;
  const organisation = chooseFor(call);
  if (organisation === undefined) return 1;
  const key = PREFIX[kind] + randomBytes(KEY_BYTES).toString('base64url');
  const place = { organisation, list: LIST_OF[kind], id };
  const edit = await writeKey(config, process.env, { ...place, key, expires });
  if (typeof edit === 'string') return reportFailure('keys', edit);
  const { entry, line } = edit;
  if (json) {
    const keyFields = { id, organisation, kind, expires: expires ?? null, key };
    print(inertJson({ ...keyFields, file: config, line, entry }));
    return 0;
  }
  print(`${config}:${line}: added to ${place.list} of ${organisation}:\n  ${entry}\n`, 'error');
  print('The key, shown this once:', 'error');
  print(key);
  return 0;
}

async function revokeKey(call: KeysCall, id: string): Promise<number | string> {
  const { config, kind, json } = call;
  const organisation = chooseFor(call);
  if (organisation === undefined) return 1;
  const place = { organisation, list: LIST_OF[kind], id };
  const edit = await deleteKey(config, process.env, place);
  if (typeof edit === 'string') return reportFailure('keys', edit);
  print(
    json
      ? inertJson({ id, organisation, kind, revoked: true, file: config, line: edit.line })
      : `${config}:${edit.line}: took ${id} out of ${place.list} of ${organisation}.`,
  );
  return 0;
}

function faultOf(id: string, expires: string | undefined): string | undefined {
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/i.test(id)) {
    return `--id is letters, digits, - and _, at most 63, not ${inertJson(id)}`;
  }
  if (expires === undefined) return undefined;
  const end = ExpiryDate.safeParse(expires);
  if (!end.success) return `--expires: ${end.error.issues[0]?.message ?? 'expected a date'}`;
  return end.data <= Date.now() ? `--expires ${expires} is over already` : undefined;
}

function chooseFor({ config, organisation }: KeysCall): string | undefined {
  // An unknown organisation is not reported here, because the edit has a better message for it.
  if (organisation !== undefined) return organisation;
  const settings = readSettings(config)?.settings;
  return settings && chooseOrganisation('keys', settings, organisation);
}
