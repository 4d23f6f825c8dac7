import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** WebDriver 2, section 4: a browser under remote control sets `navigator.webdriver`. */
export const judgeWebdriver: Judge = ({ evidence }) =>
  valueOfReading(evidence.readings.webdriver)?.reported === true ? 'webdriver' : undefined;
