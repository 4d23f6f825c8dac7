import { resolve } from 'node:path';
import type { SettingPath } from '../problems/problems.ts';
import type { ListKind } from '../lists/list-text.ts';
import type { SettingsNode } from './settings-node.ts';

/** Conditions whose entries can come from a file. */
const LIST_CONDITIONS: ReadonlySet<unknown> = new Set<ListKind>(['ip', 'asn', 'user_agent', 'ja4']);

/**
 * Converts a settings tree to plain data for the schema. Relative paths become absolute, from the folder of the
 * settings file. Values that could not be read become undefined.
 */
export function plainValue(node: SettingsNode, baseDir: string, path: SettingPath = []): unknown {
  switch (node.kind) {
    case 'text':
      return node.value === undefined ? undefined : toAbsolute(node.value, path, baseDir);
    case 'number':
    case 'boolean':
    case 'null':
      return node.value;
    case 'list':
      return node.items.map((item, index) => plainValue(item, baseDir, [...path, index]));
    case 'mapping': {
      // The object has no prototype, so that `__proto__` is a name like any other.
      const mapping = Object.create(null) as Record<string, unknown>;
      for (const [name, entry] of node.entries) {
        mapping[name] = plainValue(entry.node, baseDir, [...path, name]);
      }
      return mapping;
    }
    case 'unusable':
      return undefined;
  }
}

/**
 * Every file and folder that is read with the settings, as an absolute path, without duplicates, and also the files
 * of `NAME_FILE` variables. `rootPath` is the path of `root`.
 */
export function filesNamedIn(
  root: SettingsNode,
  baseDir: string,
  rootPath: SettingPath = [],
): readonly string[] {
  const files = new Set<string>();
  visit(root, rootPath);
  return [...files];

  function visit(node: SettingsNode, path: SettingPath): void {
    switch (node.kind) {
      case 'text':
        for (const file of node.valueFiles) files.add(file);
        if (node.value !== undefined && node.value !== '' && isFilePath(path, node.value)) {
          files.add(resolve(baseDir, node.value));
        }
        return;
      case 'list':
        for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
        return;
      case 'mapping':
        for (const [name, entry] of node.entries) visit(entry.node, [...path, name]);
        return;
      case 'number':
      case 'boolean':
      case 'null':
      case 'unusable':
        return;
    }
  }
}

function toAbsolute(text: string, path: SettingPath, baseDir: string): string {
  if (text === '') return text;
  if (isFilePath(path, text) || isDataFolder(path)) return resolve(baseDir, text);
  const socket = /^unix:(.+)$/s.exec(text)?.[1];
  return socket !== undefined && isAddress(path) ? `unix:${resolve(baseDir, socket)}` : text;
}

/** Whether the setting at this path names a folder to which Guard itself writes. */
function isDataFolder(path: SettingPath): boolean {
  const [part, name] = path;
  if (path.length !== 2) return false;
  if (part === 'analytics') return name === 'path' || name === 'spill';
  return part === 'store' && name === 'path';
}

const PAGE_SETTINGS: ReadonlySet<unknown> = new Set([
  'challenge_page',
  'block_page',
  'limit_page',
  'error_page',
]);

/** Whether the setting at this path names a file, or a folder of files, that is read together with the settings. */
function isFilePath(path: SettingPath, text: string): boolean {
  const last = path.at(-1);
  if (path[0] === 'databases') return path.length === 2 && last !== 'refresh';
  if (path[0] === 'crawlers') return path.length === 2 && last === 'ranges';
  if (path[0] === 'web_bot_auth')
    return path.length === 2 && (last === 'keys' || last === 'fetched_keys');
  if (path[0] === 'tls') return path.length === 4 && (last === 'cert' || last === 'key');
  return path[0] === 'organisations' && isFileOfOrganisation(path, text);
}

function isFileOfOrganisation(path: SettingPath, text: string): boolean {
  const last = path.at(-1);
  if (last === 'logo') return path[2] === 'branding';
  if (last === 'file') return isListOfRule(path);
  // `managed` is a keyword. A file with this name is written as ./managed.
  return PAGE_SETTINGS.has(last) || (last === 'robots_txt' && text !== 'managed');
}

/** Whether the setting `file` at this path names a list of a rule, as in `ip: { file: … }`. */
function isListOfRule(path: SettingPath): boolean {
  const condition = path.findLast((step, at) => at < path.length - 1 && typeof step === 'string');
  return path[2] === 'rules' && LIST_CONDITIONS.has(condition);
}

function isAddress(path: SettingPath): boolean {
  return path[0] === 'listen' || (path[0] === 'sites' && path[2] === 'origin');
}
