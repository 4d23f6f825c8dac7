import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The page "Callers in five languages" shows the programs of examples/callers/. Other tests run the programs. */

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/guide/call-the-api.md'), 'utf8');
const programs = readdirSync(join(root, 'examples/callers')).filter((file) =>
  /^caller\.(?!test)/.test(file),
);

test('the page shows exactly five programs', () => {
  expect(programs).toHaveLength(5);
  const shown = [...page.matchAll(/^`(caller\.\w+)`\. /gm)].map(([, file]) => file);
  expect(shown.toSorted()).toEqual(programs.toSorted());
});

test.each(programs)('the documentation shows %s unchanged', (file) => {
  const text = readFileSync(join(root, 'examples/callers', file), 'utf8');
  expect(page).toContain(`\n${text}\`\`\`\n`);
});
