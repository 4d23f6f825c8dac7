import type { Upload } from '../../page-contract/evidence.ts';
import type { PageDataNames } from '../../page-contract/program.ts';

/**
 * The names of the attributes with the page's data, and the format of its upload, without a disguise. The page programs
 * of each hour replace this module (src/challenge/program/).
 */
export const dataNames: PageDataNames = {
  sheet: 'sheet',
  witnesses: 'witnesses',
  questions: 'questions',
  session: 'session',
};

export function write(upload: Upload): string {
  return JSON.stringify(upload);
}
