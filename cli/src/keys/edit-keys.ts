import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  addKey,
  type KeyEdit,
  type KeyPlace,
  removeKey,
} from '@guard/config/settings/keys/edit-key-list';
import type { Environment } from '@guard/config/settings/reading/environment';
import { formatProblem, parseWithEnvironment } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { type Change, replaceFile } from '../files/replace-file.ts';

/** The result of an edit of a settings file. A text is for the user: the reason why nothing was written. */
export type Edited = { readonly entry: string; readonly line: number } | string;

export interface KeyToAdd extends KeyPlace {
  /** The key itself. The file gets only its SHA-256. */
  readonly key: string;
  readonly expires: string | undefined;
}

/** Adds the SHA-256 of a key to guard.yaml. */
export function writeKey(file: string, env: Environment, add: KeyToAdd): Promise<Edited> {
  const digest = createHash('sha256').update(add.key).digest();
  return edit(file, env, {
    place: add,
    refusal: (held) =>
      held.all.includes(add.id)
        ? `organisation ${add.organisation} has a key ${add.id} already; choose another --id, or revoke it first`
        : undefined,
    change: (text) => addKey(text, { ...add, key: `sha256:${digest.toString('hex')}` }),
    expected: (ids) => [...ids, add.id],
    isThere: (settings) => keysOf(settings, add).some(({ key }) => key.equals(digest)),
  });
}

/** Removes a key from guard.yaml. */
export function deleteKey(file: string, env: Environment, place: KeyPlace): Promise<Edited> {
  return edit(file, env, {
    place,
    refusal: (held) =>
      held.ids.includes(place.id)
        ? undefined
        : `organisation ${place.organisation} has no such key ${place.id}; it has ${held.ids.join(', ') || 'none'}`,
    change: (text) => removeKey(text, place),
    expected: (ids) => ids.filter((id) => id !== place.id),
    isThere: () => true,
  });
}

interface Plan {
  readonly place: KeyPlace;
  /** Why the current file does not allow the change. `ids` are those of the list, `all` those of both lists. */
  readonly refusal: (held: {
    readonly ids: readonly string[];
    readonly all: readonly string[];
  }) => string | undefined;
  readonly change: (text: string) => KeyEdit;
  readonly expected: (ids: readonly string[]) => readonly string[];
  readonly isThere: (after: Settings) => boolean;
}

/** Parses the file before and after, as `guard start` does. Writes it only when just that list has changed. */
async function edit(file: string, env: Environment, plan: Plan): Promise<Edited> {
  const replaced = await replaceFile(file, (text): Change<Edited> => {
    const before = parseWithEnvironment(text, file, env);
    if (before.kind === 'invalid') {
      return leave(`${before.problems.map(formatProblem).join('\n')}\nNothing was changed.`);
    }
    const wrong = refusalOf(before.settings, plan);
    if (wrong !== undefined) return leave(wrong);
    const made = plan.change(text);
    if (made.kind === 'impossible') return leave(byHand(file, plan.place, made.reason));
    const after = parseWithEnvironment(made.text, file, env);
    if (after.kind === 'invalid' || !isAsPlanned(before.settings, after.settings, plan)) {
      return leave(byHand(file, plan.place, 'the change would also change other settings'));
    }
    return { kind: 'write', text: made.text, result: made };
  });
  return typeof replaced === 'string' ? replaced : replaced.result;
}

function refusalOf(settings: Settings, { place, refusal }: Plan): string | undefined {
  const organisation = settings.organisations.find(({ id }) => id === place.organisation);
  if (!organisation) {
    const ids = settings.organisations.map(({ id }) => id).join(', ');
    return `no organisation has the id ${place.organisation}; there are ${ids || 'none'}`;
  }
  const { analytics_keys, secret_keys } = organisation;
  return refusal({
    ids: organisation[place.list].map(({ id }) => id),
    all: [...analytics_keys, ...secret_keys].map(({ id }) => id),
  });
}

function isAsPlanned(before: Settings, after: Settings, plan: Plan): boolean {
  const idsBefore = keysOf(before, plan.place).map(({ id }) => id);
  const idsAfter = keysOf(after, plan.place).map(({ id }) => id);
  return (
    isDeepStrictEqual(idsAfter, plan.expected(idsBefore)) &&
    plan.isThere(after) &&
    isDeepStrictEqual(without(before, plan.place), without(after, plan.place))
  );
}

function keysOf(settings: Settings, { organisation, list }: KeyPlace) {
  return settings.organisations.find(({ id }) => id === organisation)?.[list] ?? [];
}

/** The settings without the key. */
function without(settings: Settings, { organisation, list, id }: KeyPlace): Settings {
  return {
    ...settings,
    organisations: settings.organisations.map((one) =>
      one.id === organisation ? { ...one, [list]: one[list].filter((key) => key.id !== id) } : one,
    ),
  };
}

function leave(reason: string): Change<Edited> {
  return { kind: 'leave', result: reason };
}

function byHand(file: string, { organisation, list }: KeyPlace, why: string): string {
  return `${file} has to be edited by hand, at ${list} of organisation ${organisation}: ${why}`;
}
