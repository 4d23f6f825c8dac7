import { hash } from 'node:crypto';
import { NO_SCRIPT, type RedisLink } from './redis-link.ts';

/** A script that Redis runs as one atomic step. */
export class Script {
  readonly #text: string;
  readonly #sha1: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha1 = hash('sha1', text, 'hex');
  }

  /** The reply of the script, or NO_ANSWER. The text is sent only when Redis does not have the script yet. */
  async run(
    link: Pick<RedisLink, 'ask'>,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<unknown> {
    const input = [String(keys.length), ...keys, ...values.map(String)];
    const reply = await link.ask(['EVALSHA', this.#sha1, ...input]);
    return reply === NO_SCRIPT ? link.ask(['EVAL', this.#text, ...input]) : reply;
  }
}
