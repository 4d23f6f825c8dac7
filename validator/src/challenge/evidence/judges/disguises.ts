import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** This function shows whether another function is native. A program replaces it to hide other replacements. */
const PRINTER = 'Function.toString';

/**
 * Finds a disguise of driver plug-ins. Either the getter of `navigator.webdriver` is a Proxy, or these three are true:
 * the function that shows replacements is a Proxy, at least two other functions are Proxies, and one of these is of the
 * navigator or its permissions. Privacy extensions also wrap canvas, WebGL or media functions and hide this, but they
 * do not change the navigator.
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
