import { type Application, FEEDS } from './application.ts';

const GIT = { preset: 'git', why: 'git clones and pushes.' } as const;

/** The part of APPLICATIONS that hosts code, packages and issues. */
export const FORGES = {
  gitea: {
    title: 'Gitea, Forgejo',
    signs: [
      { kind: 'cookie', name: 'i_like_gitea' },
      { kind: 'cookie', name: 'i_like_forgejo' },
      { kind: 'text', text: 'content="go,git,self-hosted,gitea"' },
      { kind: 'text', text: 'content="git,forge,forgejo"' },
    ],
    presets: [
      GIT,
      FEEDS,
      { preset: 'containers', why: 'docker and podman pull and push the images of its registry.' },
    ],
    rules: [
      {
        why: 'Runners and package managers ask often.',
        line: '{ name: gitea runners and packages, match: { path: [/api/actions/**, /api/actions_pipeline/**, /api/packages/**] }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/api/packages/ada/npm/engine',
      },
      {
        why: 'Other programs use the API. It gives out files and issues, so each address has a budget.',
        line: '{ name: gitea api, match: { path: /api/**, not: { session: verified } }, challenge: never, rate_limit: { requests: 600, per: 1m, by: ip } }',
        example: '/api/v1/version',
      },
    ],
  },
  gitlab: {
    title: 'GitLab',
    signs: [
      { kind: 'header', name: 'x-gitlab-meta' },
      { kind: 'cookie', name: '_gitlab_session' },
    ],
    presets: [GIT, FEEDS],
    rules: [
      {
        why: 'Runners and package managers ask often.',
        line: '{ name: gitlab runners and packages, match: { path: [/api/v4/jobs/**, /api/v4/runners/**, /api/v4/packages/**, /api/v4/projects/*/packages/**, /api/v4/groups/*/-/packages/**] }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/api/v4/jobs/request',
      },
      {
        why: 'Other programs use the API. It gives out files and issues, so each address has a budget.',
        line: '{ name: gitlab api, match: { path: /api/**, not: { session: verified } }, challenge: never, rate_limit: { requests: 600, per: 1m, by: ip } }',
        example: '/api/v4/version',
      },
    ],
  },
  registry: {
    title: 'a container registry',
    signs: [
      {
        kind: 'header',
        name: 'docker-distribution-api-version',
        has: 'registry/2',
        pathSuffix: '/v2/',
      },
    ],
    presets: [{ preset: 'containers', why: 'docker, podman and skopeo pull and push images.' }],
    rules: [],
  },
  apt: {
    title: 'an apt repository',
    signs: [
      { kind: 'text', text: 'href="dists/"' },
      { kind: 'text', text: 'href="/dists/"' },
    ],
    presets: [{ preset: 'apt', why: 'apt fetches indexes and packages.' }],
    rules: [],
  },
  redmine: {
    title: 'Redmine',
    signs: [
      { kind: 'text', text: '<meta name="description" content="Redmine"' },
      { kind: 'cookie', name: '_redmine_session' },
    ],
    presets: [FEEDS],
    rules: [
      {
        why: 'Apps use the API with a key or a password. Redmine answers a wrong one with what is public.',
        line: "{ name: redmine api, match: { path: ['/**/*.json', '/**/*.xml'], any: [{ header: { x-redmine-api-key: '?*' } }, { header: { authorization: { regex: '^(Basic|Bearer) ' } } }, { query: { key: '?*' } }] }, challenge: never, rate_limit: { requests: 300, per: 1m, by: ip } }",
        example: '/issues.json',
      },
      {
        why: 'Mail servers hand over mails, and hooks of repositories report changes, with a key.',
        line: '{ name: redmine mails and repositories, match: { path: [/mail_handler, /sys/**] }, challenge: never, rate_limit: { requests: 300, per: 1m, by: ip } }',
        example: '/mail_handler',
      },
    ],
  },
} as const satisfies Readonly<Record<string, Application>>;
