import { parseSettings } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';

/**
 * Returns a guard.yaml with two organisations. `acmeYaml` is YAML for the first one. It is indented by this function,
 * and must end with a line end.
 */
export function guardYaml(acmeYaml: string): string {
  return `version: 1
listen: { gateway: 127.0.0.1:8080 }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
organisations:
  - id: acme
${acmeYaml.replaceAll(/^(?=.)/gm, '    ')}  - id: other
    rules: [{ name: nobody, match: {}, verdict: block }]
sites:
  - { hosts: [shop.example], organisation: acme, origin: "http://127.0.0.1:3000" }
  - { hosts: [other.example], organisation: other, origin: "http://127.0.0.1:3001" }
`;
}

/** Parses the text. Throws an Error with the problems if there are some. */
export function settingsOf(text: string): Settings {
  const env = { HOME: 'the home of the machine' };
  const loaded = parseSettings(text, { file: 'guard.yaml', baseDir: '/', env });
  if (loaded.kind === 'loaded') return loaded.settings;
  throw new Error(loaded.problems.map((problem) => JSON.stringify(problem)).join('\n'));
}
