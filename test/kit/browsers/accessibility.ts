import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The axe rules whose result another colour scheme can change. */
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** The violations that axe finds on a page (WCAG 2.2 AA): each rule with its elements. */
export async function violations(page: Page): Promise<string[]> {
  return run(page, WCAG_22_AA, 10);
}

/** The violations of a page in light colours, followed by its violations in dark colours. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const lightViolations = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  return [...lightViolations, ...(await run(page, COLOURS, 0))];
}

async function run(page: Page, runOnly: unknown, leastPasses: number): Promise<string[]> {
  const isThere = await page.evaluate<boolean>("typeof axe === 'object'");
  if (!isThere) await page.evaluate(axe.source);
  const results = await page.evaluate<axe.AxeResults>(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)} })`,
  );
  expect(results.passes.length).toBeGreaterThan(leastPasses);
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`,
  );
}
