import { clipList } from '../clip.ts';
import type { Source } from '../source.ts';

/** Global variables of automation tools, grouped by tool. */
const windowNames = [
  // playwright
  '__playwright__binding__',
  '__playwright_builtins__',
  '__playwright',
  '__pwInitScripts',
  // puppeteer
  '__puppeteer_evaluation_script__',
  'puppeteer___ariaQuerySelector',
  // selenium, webdriver
  '__webdriver_evaluate',
  '__webdriver_script_fn',
  '__webdriver_script_func',
  '__webdriver_script_function',
  '__webdriver_unwrapped',
  '__driver_evaluate',
  '__driver_unwrapped',
  '__selenium_evaluate',
  '__selenium_unwrapped',
  '_selenium',
  'domAutomation',
  'domAutomationController',
  // others
  'CefSharp',
  '__stagehandV3Injected',
];

/** Prefixes of the properties that drivers add to the window or document. */
const prefixes = ['cdc_', '$cdc_', '$chrome_asyncScriptInfo', '__$webdriver', '__pw_'];

const attributes = ['webdriver', 'selenium', 'driver'];

/** Names of the objects and attributes of automation tools in this page. */
export const automation: Source<'automation'> = () => {
  const foundNames = new Set<string>();
  for (const name of windowNames) if (name in window) foundNames.add(name);
  for (const holder of [window, document]) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (prefixes.some((prefix) => name.startsWith(prefix))) foundNames.add(name);
    }
  }
  for (const name of attributes) {
    if (document.documentElement.getAttribute(name) !== null) foundNames.add(`html[${name}]`);
  }
  return clipList(foundNames);
};
