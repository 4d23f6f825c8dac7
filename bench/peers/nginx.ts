import type { Places } from './places.ts';

/**
 * The fastest settings of nginx: one worker, no log, keep-alive on both sides and to the service that it asks, and
 * buffers that are so large that no answer is written to disk.
 */
export function nginxConfig({ port, origin, decisionServer, folder, tls }: Places): string {
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
${temporaryPaths.join('\n')}
  keepalive_requests 100000000;
  proxy_buffers 8 32k;
  proxy_max_temp_file_size 0;
  # The visitor's address, as a load balancer says it.
  set_real_ip_from 127.0.0.1;
  real_ip_header X-Forwarded-For;
  ${upstreamBlock('origin', origin)}
  ${decisionServer === undefined ? '' : upstreamBlock('decider', decisionServer)}
  server {
    listen 127.0.0.1:${port}${tls === undefined ? '' : ' ssl http2'};
    ${tls === undefined ? '' : `ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};`}
    ${tls === undefined ? '' : 'ssl_protocols TLSv1.2 TLSv1.3; ssl_prefer_server_ciphers on;'}
    location / {
      ${decisionServer === undefined ? '' : AUTH_REQUEST_LINES}
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $http_x_forwarded_proto;
      ${decisionServer === undefined ? '' : 'proxy_set_header X-Guard-Decision $decision;'}
    }
    ${decisionServer === undefined ? '' : CHECK}
  }
}
`;
}

function upstreamBlock(name: string, address: string): string {
  return `upstream ${name} { server ${address}; keepalive 64; keepalive_requests 100000000; }`;
}

const AUTH_REQUEST_LINES = `auth_request /check;
      auth_request_set $decision $upstream_http_x_guard_decision;
      auth_request_set $session $upstream_http_set_cookie;
      add_header Set-Cookie $session always;`;

/** `Connection ''` is repeated here, because a location with its own proxy_set_header does not inherit others. */
const CHECK = `location = /check {
      internal;
      proxy_pass http://decider;
      proxy_http_version 1.1;
      proxy_pass_request_body off;
      proxy_set_header Connection '';
      proxy_set_header Content-Length '';
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Method $request_method;
      proxy_set_header X-Forwarded-Proto $http_x_forwarded_proto;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Uri $request_uri;
    }`;
