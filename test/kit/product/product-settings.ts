/** The keys of the flow tests. They are unique texts, so a search in a log finds only the key itself. */
export const SECRET_KEY = 'sk_flow_1f6e2c9a7b5d4e3f8a6b';
export const ANALYTICS_KEY = 'sk_api_ro_flow_9d8c7b6a5f4e3d2c1b0a';
export const HEALTH_TOKEN = 'health_flow_7c6b5a4d3e2f1a0b9c8d';
export const INSTALLATION_SECRET = 'flow-tests-4b3a2c1d0e9f8a7b6c5d4e3f2a1b0c9d';

const ANY_PORT = '127.0.0.1:0';

/** Settings of a whole product on free ports, with one organisation and one site. `changes` adds or replaces parts. */
export function productSettings(
  origin: string,
  changes: {
    readonly rules?: readonly unknown[];
    readonly organisation?: Readonly<Record<string, unknown>> | undefined;
    readonly site?: Readonly<Record<string, unknown>>;
    /** More organisations. */
    readonly organisations?: readonly object[];
    /** More sites. A site without its own organisation or origin gets those of the first site. */
    readonly sites?: readonly Readonly<Record<string, unknown>>[];
    readonly top?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  return {
    version: 1,
    listen: {
      gateway: ANY_PORT,
      validator: ANY_PORT,
      api: ANY_PORT,
      collector: ANY_PORT,
      docs: ANY_PORT,
      admin: ANY_PORT,
    },
    health_check_token: HEALTH_TOKEN,
    trusted_proxies: ['127.0.0.1/32'],
    secret: INSTALLATION_SECRET,
    organisations: [
      {
        id: 'acme',
        secret_keys: [{ id: 'backend', key: SECRET_KEY, health: true }],
        analytics_keys: [{ id: 'tests', key: ANALYTICS_KEY }],
        features: { crawler_metadata: true, country: true },
        crawler_allowlist: [{ category: 'Search Engine' }],
        rules: changes.rules ?? [
          { name: 'everybody', match: {}, detect: true, challenge: 'always' },
        ],
        ...changes.organisation,
      },
      ...(changes.organisations ?? []),
    ],
    sites: [
      {
        hosts: ['127.0.0.1', 'localhost', 'shop.example'],
        organisation: 'acme',
        origin,
        skip: ['/assets/**'],
        ...changes.site,
      },
      ...(changes.sites ?? []).map((site) => ({ organisation: 'acme', origin, ...site })),
    ],
    analytics: { engine: 'embedded', path: './analytics' },
    // A test sends no request to a server on the internet.
    crawlers: { refresh: 'off' },
    ...changes.top,
  };
}
