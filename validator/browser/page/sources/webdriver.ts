import { getterOf, isNative } from '../native-code.ts';
import type { Source } from '../source.ts';

/** WebDriver 2, section 4: `navigator.webdriver`, and whether a script has replaced it. */
export const webdriver: Source<'webdriver'> = () => {
  const webdriverValue: unknown = navigator.webdriver;
  const getter = getterOf(Navigator.prototype, 'webdriver');
  return {
    reported: typeof webdriverValue === 'boolean' ? webdriverValue : null,
    ownProperty: Object.prototype.hasOwnProperty.call(navigator, 'webdriver'),
    nativeGetter: getter === undefined ? null : isNative(getter),
  };
};
