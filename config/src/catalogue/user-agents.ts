import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { dataPath } from './data-path.ts';
import { TokenMatcher } from './token-matcher.ts';

/** Format of config/data/user-agents/*.json: groups of tokens with their allowed position. */
const TokenFile = z.strictObject({
  about: z.string(),
  groups: z.array(
    z.strictObject({
      name: z.string().min(1),
      contains: z.array(z.string().min(2)).optional(),
      starts_with: z.array(z.string().min(2)).optional(),
    }),
  ),
});

/** Tokens of software that is neither a browser nor a known crawler. */
export class UserAgentCatalogue {
  readonly #httpClients: TokenMatcher<string>;
  readonly #automation: TokenMatcher<string>;

  private constructor(httpClients: TokenMatcher<string>, automation: TokenMatcher<string>) {
    this.#httpClients = httpClients;
    this.#automation = automation;
  }

  static load(): UserAgentCatalogue {
    return new UserAgentCatalogue(
      readTokens(dataPath('user-agents/http-clients.json')),
      readTokens(dataPath('user-agents/automation.json')),
    );
  }

  /**
   * The token that names an HTTP library, a command-line client or a scanner, spelled as in the list. Undefined when
   * there is none. Check for crawlers first, because some crawlers name the library that they use.
   */
  httpClientToken(userAgent: string): string | undefined {
    return this.#httpClients.find(userAgent)?.value;
  }

  /** The token that names a headless browser or a tool that controls one. Undefined when there is none. */
  automationToken(userAgent: string): string | undefined {
    return this.#automation.find(userAgent)?.value;
  }
}

function readTokens(path: string): TokenMatcher<string> {
  const { groups } = TokenFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  return new TokenMatcher(
    groups.flatMap(({ contains = [], starts_with = [] }) => [
      ...contains.map((text) => ({ text, atStart: false, value: text })),
      ...starts_with.map((text) => ({ text, atStart: true, value: text })),
    ]),
  );
}
