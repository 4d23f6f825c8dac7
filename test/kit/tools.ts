import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that is not in npm. When it is not installed, its tests are skipped, and the summary reports this. */
interface Tool {
  readonly name: string;
  readonly programs: readonly string[];
  /** Further files that the tests need. */
  readonly files?: readonly string[];
  readonly tests: string;
  readonly install: string;
}

const WINDOWED_CHROMIUM: Tool = {
  name: "a windowed Chromium (Debian's chromium and xvfb)",
  programs: ['chromium', 'xvfb-run'],
  tests:
    "a person's browser passes the challenge, and with the browser script it sees no challenge",
  install: 'apt-get install chromium xvfb',
};

const DESK: Tool = {
  name: 'a desk with keyboard and mouse (xvfb and xdotool)',
  programs: ['Xvfb', 'xdotool'],
  tests: 'people pass with one reload, or read which feature their browser needs',
  install: 'apt-get install xvfb xdotool',
};

const FIREFOX: Tool = {
  name: "Firefox (Debian's firefox-esr)",
  programs: ['firefox-esr'],
  tests: 'people pass in Firefox as they do in Chromium',
  install: 'apt-get install firefox-esr',
};

const OPENSSL: Tool = {
  name: 'openssl',
  programs: ['openssl'],
  tests: 'over https, the form of another site sends the cookie',
  install: 'apt-get install openssl',
};

const GIT: Tool = {
  name: 'git',
  programs: ['git'],
  tests: 'git clones and pushes with its preset',
  install: 'apt-get install git',
};

const CURL: Tool = {
  name: 'curl',
  programs: ['curl'],
  tests: 'curl reads feeds and well-known files with their presets',
  install: 'apt-get install curl',
};

const NGINX: Tool = {
  name: 'nginx',
  programs: ['nginx'],
  tests: 'nginx asks Guard with auth_request',
  install: 'apt-get install nginx',
};

/** The path of Debian's package. */
export const NGINX_STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so';

const NGINX_STREAM: Tool = {
  name: "nginx's stream module",
  programs: ['nginx'],
  files: [NGINX_STREAM_MODULE],
  tests: 'nginx passes on connections with the PROXY protocol',
  install: 'apt-get install libnginx-mod-stream',
};

const HAPROXY: Tool = {
  name: 'haproxy',
  programs: ['haproxy'],
  tests: 'HAProxy asks Guard from Lua, and passes on connections with the PROXY protocol',
  install: 'apt-get install haproxy',
};

const CADDY: Tool = {
  name: 'caddy',
  programs: ['caddy'],
  tests: 'Caddy asks Guard with forward_auth',
  install: 'apt-get install caddy',
};

const WRK: Tool = {
  name: 'wrk',
  programs: ['wrk'],
  tests: 'the benches make the load that they report',
  install: 'apt-get install wrk',
};

const H2LOAD: Tool = {
  name: 'h2load',
  programs: ['h2load'],
  tests: 'the bench over HTTP/2 makes the load that it reports',
  install: 'apt-get install nghttp2-client',
};

const REDIS: Tool = {
  name: 'redis-server',
  programs: ['redis-server'],
  tests:
    'several instances share sessions, spent tickets and rate limits in a Redis, and work without it',
  install: 'apt-get install redis-server',
};

const PEBBLE: Tool = {
  name: "pebble (Let's Encrypt's test authority)",
  programs: ['pebble', 'pebble-challtestsrv', 'openssl'],
  tests: 'Guard orders and renews certificates by ACME, and instances share them',
  install: 'apt-get install pebble openssl',
};

const CROWDSEC: Tool = {
  name: 'crowdsec',
  programs: ['crowdsec', 'cscli'],
  files: ['/etc/crowdsec/patterns', '/usr/share/crowdsec/hub'],
  tests: 'Guard applies the decisions of a CrowdSec agent, which reads the log of Guard',
  install: 'apt-get download crowdsec && dpkg -x crowdsec_*.deb . && cp -r etc usr /',
};

const PROMETHEUS: Tool = {
  name: 'prometheus',
  programs: ['prometheus'],
  tests: 'Prometheus reads the metrics, and evaluates the rules',
  install:
    'apt-get download prometheus && dpkg -x prometheus_*.deb . && install usr/bin/prometheus /usr/local/bin/',
};

const KUBECTL: Tool = {
  name: "kubectl (Debian's kubernetes-client)",
  programs: ['kubectl'],
  tests: 'kubectl renders the manifests of Kubernetes',
  install:
    'apt-get download kubernetes-client && dpkg -x kubernetes-client_*.deb . && install usr/bin/kubectl /usr/local/bin/',
};

const PYTHON: Tool = {
  name: 'python3',
  programs: ['python3'],
  tests: 'the examples in Python ask the validator, and apply its decision',
  install: 'apt-get install python3',
};

const PHP: Tool = {
  name: 'php',
  programs: ['php'],
  tests: 'the example in PHP asks the validator, and applies its decision',
  install: 'apt-get install php-cli',
};

const GO: Tool = {
  name: 'go',
  programs: ['go'],
  tests: 'the example in Go asks the validator, and applies its decision',
  install: 'apt-get install golang-go',
};

const OPENAPI_CLIENT: Tool = {
  name: "Perl's OpenAPI::Client",
  programs: ['perl'],
  files: ['/usr/share/perl5/OpenAPI/Client.pm'],
  tests: 'a Perl client of /openapi.json asks Guard',
  install: 'apt-get install libopenapi-client-perl',
};

const ZSH: Tool = {
  name: 'zsh',
  programs: ['zsh'],
  tests: 'zsh reads its completion',
  install: 'apt-get install zsh',
};

const FISH: Tool = {
  name: 'fish',
  programs: ['fish'],
  tests: 'fish reads its completion',
  install: 'apt-get install fish',
};

const SYSTEMD: Tool = {
  name: 'systemd-analyze',
  programs: ['systemd-analyze'],
  tests: 'systemd accepts the unit, and rates it as hardened',
  install: 'apt-get install systemd',
};

export const hasRedis = isThere(REDIS);
export const hasPebble = isThere(PEBBLE);
export const hasCrowdsec = isThere(CROWDSEC);
export const hasPrometheus = isThere(PROMETHEUS);
export const hasKubectl = isThere(KUBECTL);
export const hasNginx = isThere(NGINX);
export const hasNginxStream = isThere(NGINX_STREAM);
export const hasHaproxy = isThere(HAPROXY);
export const hasCaddy = isThere(CADDY);
export const hasWindowedChromium = isThere(WINDOWED_CHROMIUM);
/** A virtual screen with keyboard and mouse, for browsers. */
export const hasDesk = isThere(DESK);
export const hasFirefox = isThere(FIREFOX);
export const hasOpenssl = isThere(OPENSSL);
export const hasGit = isThere(GIT);
export const hasCurl = isThere(CURL);
export const hasPython = isThere(PYTHON);
export const hasPhp = isThere(PHP);
export const hasGo = isThere(GO);
export const hasOpenApiClient = isThere(OPENAPI_CLIENT);
export const hasSystemd = isThere(SYSTEMD);
export const hasZsh = isThere(ZSH);
export const hasFish = isThere(FISH);

export function missingTools(): readonly Tool[] {
  return [
    WINDOWED_CHROMIUM,
    DESK,
    FIREFOX,
    OPENSSL,
    GIT,
    CURL,
    NGINX,
    NGINX_STREAM,
    HAPROXY,
    CADDY,
    WRK,
    H2LOAD,
    REDIS,
    PEBBLE,
    CROWDSEC,
    PROMETHEUS,
    KUBECTL,
    PYTHON,
    PHP,
    GO,
    OPENAPI_CLIENT,
    SYSTEMD,
    ZSH,
    FISH,
  ].filter((tool) => !isThere(tool));
}

function isThere({ programs, files = [] }: Tool): boolean {
  return programs.every((program) => isOnPath(program)) && files.every((file) => existsSync(file));
}

export function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
