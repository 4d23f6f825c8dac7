import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** This function shows whether another function is native. A program that replaces it hides other replacements. */
const PRINTER = 'Function.toString';

/**
 * Finds a disguise of driver plug-ins: several native functions that identify the browser are Proxies, and so is the
 * function that would show this. At least one belongs to the navigator or its permissions. Privacy extensions also hide
 * that they wrap canvas, WebGL or media functions, but they do not touch the navigator.
 */
export const judgeDisguises: Judge = ({ evidence }) => {
  const proxiedNames = valueOfReading(evidence.readings.disguises)?.proxied ?? [];
  const identifyingNames = proxiedNames.filter((name) => name !== PRINTER);
  const hasIdentity = identifyingNames.some(
    (name) => name.startsWith('navigator.') || name === 'Permissions.query',
  );
  if (identifyingNames.includes('navigator.webdriver')) return 'disguised_natives';
  return proxiedNames.includes(PRINTER) && hasIdentity && identifyingNames.length >= 2
    ? 'disguised_natives'
    : undefined;
};
