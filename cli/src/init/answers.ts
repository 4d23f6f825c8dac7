import { isIpOrCidr } from '@guard/config/net/cidr';
import { HostPattern, HttpUrl, OriginAddress } from '@guard/config/settings/values/values';

/** The names are the options of `guard init`. */
export interface Answers {
  /** Host names of the site. `*` means all hosts. */
  readonly site: readonly string[];
  readonly origin: string;
  /** The addresses of the proxies in front of Guard. Empty if visitors connect directly to Guard. */
  readonly front: readonly string[];
  readonly events: 'embedded' | 'none' | { readonly clickhouse: string };
  readonly mode: 'observe' | 'enforce';
}

type AnswerReading<T> =
  | { readonly kind: 'read'; readonly value: T }
  /** The mistake in the answer, as a sentence. */
  | { readonly kind: 'wrong'; readonly message: string };

export interface Question<T> {
  readonly text: string;
  /** The answer that is used when the person types an empty answer. */
  readonly defaultAnswer: string;
  readonly parse: (answer: string) => AnswerReading<T>;
}

export const QUESTIONS: { readonly [Name in keyof Answers]: Question<Answers[Name]> } = {
  site: {
    text: 'Which host names does your site have? (shop.example, or several; * for all)',
    defaultAnswer: '*',
    parse(answer) {
      const hosts = splitWords(answer);
      const badHost = hosts.find((host) => !HostPattern.safeParse(host).success);
      if (badHost === undefined) return { kind: 'read', value: hosts };
      return mistake(
        `${JSON.stringify(badHost)} is no host name; write it without http:// and path`,
      );
    },
  },
  origin: {
    text: 'Where does your application listen?',
    defaultAnswer: 'http://127.0.0.1:3000',
    parse(answer) {
      const port = /^:?(\d+)$/.exec(answer)?.[1];
      const place = port === undefined ? answer : `127.0.0.1:${port}`;
      const origin = /^[\w.-]+:\d+$/.test(place) ? `http://${place}` : place;
      return OriginAddress.safeParse(origin).success
        ? { kind: 'read', value: origin }
        : mistake(
            `${JSON.stringify(answer)} is no origin; write a port, or a URL without a path such as http://127.0.0.1:3000`,
          );
    },
  },
  front: {
    text: 'What stands in front of Guard? (nothing; local for a proxy on this machine; or addresses)',
    defaultAnswer: 'nothing',
    parse(answer) {
      if (answer === 'nothing') return { kind: 'read', value: [] };
      if (answer === 'local') return { kind: 'read', value: ['127.0.0.1', '::1'] };
      const badAddress = splitWords(answer).find((address) => !isIpOrCidr(address));
      if (badAddress === undefined) return { kind: 'read', value: splitWords(answer) };
      return mistake(
        `${JSON.stringify(badAddress)} is no address; write nothing, local for a proxy on this machine, or addresses such as 10.0.0.0/8`,
      );
    },
  },
  events: {
    text: 'Where do events go? (embedded; none; or the URL of your ClickHouse)',
    defaultAnswer: 'embedded',
    parse(answer) {
      if (answer === 'embedded' || answer === 'none') return { kind: 'read', value: answer };
      return HttpUrl.safeParse(answer).success
        ? { kind: 'read', value: { clickhouse: answer } }
        : mistake(`${JSON.stringify(answer)} is none of embedded, none, http://clickhouse:8123`);
    },
  },
  mode: {
    text: 'Begin by observing, or enforce at once?',
    defaultAnswer: 'observe',
    parse(answer) {
      return answer === 'observe' || answer === 'enforce'
        ? { kind: 'read', value: answer }
        : mistake(`${JSON.stringify(answer)} is neither observe nor enforce`);
    },
  },
};

/** The cast is safe, because the object is a literal with exactly these names. */
export const QUESTION_NAMES = Object.keys(QUESTIONS) as (keyof Answers)[];

function splitWords(answer: string): string[] {
  return answer.split(/[\s,]+/).filter((word) => word !== '');
}

function mistake(message: string): { readonly kind: 'wrong'; readonly message: string } {
  return { kind: 'wrong', message };
}
