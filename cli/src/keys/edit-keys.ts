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

/** When the outcome is a text, it tells the user why nothing was written. */
type KeyEditOutcome = { readonly entry: string; readonly line: number } | string;

interface KeyToAdd extends KeyPlace {
  /** The key itself. The file gets only its SHA-256. */
  readonly key: string;
  readonly expires: string | undefined;
}

/** Adds the SHA-256 of a key to guard.yaml. */
export function writeKey(file: string, env: Environment, add: KeyToAdd): Promise<KeyEditOutcome> {
  const digest = createHash('sha256').update(add.key).digest();
  return editFile(file, env, {
    place: add,
    refusal: (keyIds) =>
      keyIds.all.includes(add.id)
        ? `organisation ${add.organisation} has a key ${add.id} already; choose another --id, or revoke it first`
        : undefined,
    change: (text) => addKey(text, { ...add, key: `sha256:${digest.toString('hex')}` }),
    expected: (ids) => [...ids, add.id],
    isThere: (settings) => keysOf(settings, add).some(({ key }) => key.equals(digest)),
  });
}

export function deleteKey(
  file: string,
  env: Environment,
  place: KeyPlace,
): Promise<KeyEditOutcome> {
  return editFile(file, env, {
    place,
    refusal: (keyIds) =>
      keyIds.ids.includes(place.id)
        ? undefined
        : `organisation ${place.organisation} has no such key ${place.id}; it has ${keyIds.ids.join(', ') || 'none'}`,
    change: (text) => removeKey(text, place),
    expected: (ids) => ids.filter((id) => id !== place.id),
    isThere: () => true,
  });
}

interface EditPlan {
  readonly place: KeyPlace;
  /**
   * Why the current file does not allow the change. Undefined when it allows the change. `ids` are the ids of the list,
   * and `all` are the ids of both lists.
   */
  readonly refusal: (keyIds: {
    readonly ids: readonly string[];
    readonly all: readonly string[];
  }) => string | undefined;
  readonly change: (text: string) => KeyEdit;
  readonly expected: (ids: readonly string[]) => readonly string[];
  readonly isThere: (newSettings: Settings) => boolean;
}

/**
 * Parses the file before and after the edit, in the same way as `guard start`. Writes the file only when the edit has
 * changed no other list.
 */
async function editFile(file: string, env: Environment, plan: EditPlan): Promise<KeyEditOutcome> {
  const outcome = await replaceFile(file, (text): Change<KeyEditOutcome> => {
    const oldSettings = parseWithEnvironment(text, file, env);
    if (oldSettings.kind === 'invalid') {
      const problems = oldSettings.problems.map(formatProblem).join('\n');
      return leaveUnchanged(`${problems}\nNothing was changed.`);
    }
    const refusalText = refusalOf(oldSettings.settings, plan);
    if (refusalText !== undefined) return leaveUnchanged(refusalText);
    const keyEdit = plan.change(text);
    if (keyEdit.kind === 'impossible')
      return leaveUnchanged(editByHandText(file, plan.place, keyEdit.reason));
    const newSettings = parseWithEnvironment(keyEdit.text, file, env);
    if (
      newSettings.kind === 'invalid' ||
      !isAsPlanned(oldSettings.settings, newSettings.settings, plan)
    ) {
      return leaveUnchanged(
        editByHandText(file, plan.place, 'the change would also change other settings'),
      );
    }
    return { kind: 'write', text: keyEdit.text, result: keyEdit };
  });
  return typeof outcome === 'string' ? outcome : outcome.result;
}

function refusalOf(settings: Settings, { place, refusal }: EditPlan): string | undefined {
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

function isAsPlanned(oldSettings: Settings, newSettings: Settings, plan: EditPlan): boolean {
  const idsBefore = keysOf(oldSettings, plan.place).map(({ id }) => id);
  const idsAfter = keysOf(newSettings, plan.place).map(({ id }) => id);
  return (
    isDeepStrictEqual(idsAfter, plan.expected(idsBefore)) &&
    plan.isThere(newSettings) &&
    isDeepStrictEqual(withoutKey(oldSettings, plan.place), withoutKey(newSettings, plan.place))
  );
}

function keysOf(settings: Settings, { organisation, list }: KeyPlace) {
  return settings.organisations.find(({ id }) => id === organisation)?.[list] ?? [];
}

function withoutKey(settings: Settings, { organisation, list, id }: KeyPlace): Settings {
  return {
    ...settings,
    organisations: settings.organisations.map((one) =>
      one.id === organisation ? { ...one, [list]: one[list].filter((key) => key.id !== id) } : one,
    ),
  };
}

function leaveUnchanged(reason: string): Change<KeyEditOutcome> {
  return { kind: 'leave', result: reason };
}

function editByHandText(file: string, { organisation, list }: KeyPlace, reason: string): string {
  return `${file} has to be edited by hand, at ${list} of organisation ${organisation}: ${reason}`;
}
