import type { SettingPath } from '../problems/problems.ts';

/**
 * A settings file after YAML and `${NAME}`, before it is checked: plain values that still know where
 * they stand. Offsets count from the start of the text.
 */
export type SettingsNode = { readonly start: number } & (
  | {
      readonly kind: 'text';
      /** As written, with `${NAME}` in it. */
      readonly written: string;
      /** Undefined when a variable is missing, which has been reported. */
      readonly value: string | undefined;
      readonly interpolated: boolean;
      /** Files that a part of the value was read from. */
      readonly valueFiles: readonly string[];
      /** Stands on one line of the file; one that does not may have swallowed other settings. */
      readonly oneLine: boolean;
    }
  | {
      readonly kind: 'number' | 'boolean' | 'null';
      readonly written: string;
      readonly value: number | bigint | boolean | null;
    }
  | { readonly kind: 'list'; readonly items: readonly SettingsNode[] }
  | { readonly kind: 'mapping'; readonly entries: ReadonlyMap<string, Entry> }
  /** Could not be understood, which has been reported. */
  | { readonly kind: 'unusable' }
);

export interface Entry {
  readonly keyStart: number;
  readonly node: SettingsNode;
}

/** What stands at a path: the node, or what is nearest to where it should have stood. */
export type Place =
  | { readonly kind: 'present'; readonly node: SettingsNode; readonly offset: number }
  | { readonly kind: 'absent'; readonly offset: number };

/** Looks a path up. An absent setting is placed at the name of the mapping it is missing from. */
export function placeOf(root: SettingsNode, path: SettingPath): Place {
  let node = root;
  let offset = root.start;
  for (const step of path) {
    const child = childOf(node, step);
    if (child === undefined) return { kind: 'absent', offset };
    node = child.node;
    offset = child.keyStart ?? child.node.start;
  }
  // A value that was left empty has no place of its own.
  const empty = node.kind === 'null' && node.written === '';
  return { kind: 'present', node, offset: empty ? offset : node.start };
}

/** Where the name of a setting stands; its value where it has no name. */
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
