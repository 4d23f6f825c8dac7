/**
 * Returns the section of CHANGELOG.md for a version, without its heading. When there is no such section, returns the
 * section Unreleased. Throws when both are missing.
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const isOf = (title: string) => (section: string) => section.startsWith(title);
  const section = sections.find(isOf(version)) ?? sections.find(isOf('Unreleased'));
  if (section === undefined) {
    throw new Error(`CHANGELOG.md has no section "## ${version}", and no "## Unreleased".`);
  }
  return `${section.slice(section.indexOf('\n') + 1).trim()}\n`;
}
