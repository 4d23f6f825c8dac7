import type { SettingPath } from '../problems/problems.ts';

/**
 * A settings file after its YAML was parsed and `${NAME}` was replaced, but before the checks: plain values with their
 * positions. Offsets count from the start of the text.
 */
export type SettingsNode = { readonly start: number } & (
  | {
      readonly kind: 'text';
      /** The text as written, including `${NAME}`. */
      readonly written: string;
      /**
       * The text with all variables replaced. Undefined when a variable is missing. The missing variable was already
       * reported.
       */
      readonly value: string | undefined;
      readonly interpolated: boolean;
      /** Files from which a part of the value was read. */
      readonly valueFiles: readonly string[];
      /**
       * True when the value is on one line of the file. A value on several lines can include other settings by mistake.
       */
      readonly oneLine: boolean;
    }
  | {
      readonly kind: 'number' | 'boolean' | 'null';
      readonly written: string;
      readonly value: number | bigint | boolean | null;
    }
  | { readonly kind: 'list'; readonly items: readonly SettingsNode[] }
  | { readonly kind: 'mapping'; readonly entries: ReadonlyMap<string, Entry> }
  /** The value could not be parsed, and this was already reported. */
  | { readonly kind: 'unusable' }
);

export interface Entry {
  readonly keyStart: number;
  readonly node: SettingsNode;
}

export type Place =
  | { readonly kind: 'present'; readonly node: SettingsNode; readonly offset: number }
  | { readonly kind: 'absent'; readonly offset: number };

/** Finds the place of a setting. The place of a missing setting is the name of its mapping. */
export function placeOf(root: SettingsNode, path: SettingPath): Place {
  let node = root;
  let offset = root.start;
  for (const step of path) {
    const child = childOf(node, step);
    if (child === undefined) return { kind: 'absent', offset };
    node = child.node;
    offset = child.keyStart ?? child.node.start;
  }
  // An empty value has no position in the file.
  const isEmpty = node.kind === 'null' && node.written === '';
  return { kind: 'present', node, offset: isEmpty ? offset : node.start };
}

/** The position of a setting's name, or of its value when it has no name. */
export function keyOffset(root: SettingsNode, path: SettingPath): number {
  const parent = placeOf(root, path.slice(0, -1));
  const last = path.at(-1);
  if (parent.kind === 'absent' || last === undefined) return parent.offset;
  const child = childOf(parent.node, last);
  return child?.keyStart ?? child?.node.start ?? parent.offset;
}

function childOf(
  node: SettingsNode,
  step: string | number,
): { readonly keyStart?: number; readonly node: SettingsNode } | undefined {
  if (node.kind === 'mapping') return node.entries.get(String(step));
  if (node.kind !== 'list' || typeof step !== 'number') return undefined;
  const item = node.items[step];
  return item && { node: item };
}
