import type { Pattern } from '../../matching/glob.ts';

export const TRAP_PRESETS = ['secret-files', 'wordpress'] as const;
type TrapPreset = (typeof TRAP_PRESETS)[number];

/**
 * Paths that scanners request from every site. There are only few of them, and the whole path has to match. Otherwise
 * people could hit a trap: a forge shows `/owner/name/src/.env` to people, and `git clone` over plain HTTP reads
 * `/.git/HEAD`.
 */
const PRESET_PATHS: Readonly<Record<TrapPreset, readonly Pattern[]>> = {
  // Sites do not serve these files to visitors, and pages do not link to them.
  'secret-files': [
    '/.env',
    '/.env.local',
    '/.env.production',
    '/.env.bak',
    '/.aws/credentials',
    '/.git/config',
    '/.ssh/id_rsa',
    '/wp-config.php.bak',
  ],
  // Paths of WordPress, for sites without WordPress.
  wordpress: [
    '/wp-login.php',
    '/xmlrpc.php',
    '/wp-admin/install.php',
    '/wp-admin/setup-config.php',
  ],
};

export function trapPaths({
  presets,
  paths,
}: {
  readonly presets: readonly TrapPreset[];
  readonly paths: readonly Pattern[];
}): readonly Pattern[] {
  return [...presets.flatMap((preset) => PRESET_PATHS[preset]), ...paths];
}
