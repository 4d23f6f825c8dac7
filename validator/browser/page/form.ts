import type { Upload } from '../../page-contract/evidence.ts';
import type { PageDataNames } from '../../page-contract/program.ts';

/**
 * How a page gets its questions and writes its upload. This is the form without a disguise. The programs of each hour
 * replace this module (src/challenge/program/).
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
