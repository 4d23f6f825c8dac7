import { describe, expect, test } from 'vitest';
import { type ExplainCall, readRequest } from './read-request.ts';

const stdin = () => '{"from":"stdin"}';

function read(...args: string[]): ExplainCall {
  const reading = readRequest(['--config', 'guard.yaml', ...args], stdin);
  if (typeof reading === 'string') throw new Error(reading);
  return reading;
}

function requestOf(...args: string[]): unknown {
  return JSON.parse(read('--ip', '192.0.2.1', ...args).body);
}

describe('options as in curl', () => {
  test('a URL alone is a GET with only a Host header', () => {
    expect(requestOf('https://shop.example:8443/a?b=c')).toEqual({
      url: 'https://shop.example:8443/a?b=c',
      ip: '192.0.2.1',
      method: 'GET',
      headers: { host: 'shop.example:8443' },
    });
  });

  test('headers keep their order and spelling; a repeated name in another case replaces the first one', () => {
    const request = requestOf(
      'https://shop.example/',
      ...['-H', 'Accept: */*', '-H', 'HOST: other.example', '-H', 'X-Empty:'],
      ...['-A', 'curl/8', '-e', 'https://search.example/', '-b', 'a=1; b=2'],
    );
    expect(request).toMatchObject({
      headers: {
        host: 'other.example',
        Accept: '*/*',
        'X-Empty': '',
        'user-agent': 'curl/8',
        referer: 'https://search.example/',
        cookie: 'a=1; b=2',
      },
    });
    const { headers } = request as { headers: Record<string, string> };
    expect(Object.keys(headers).slice(0, 3)).toEqual(['host', 'Accept', 'X-Empty']);
  });

  test('a command that a browser copies as cURL is accepted: data makes a POST, --compressed is ignored', () => {
    const url = 'https://shop.example/login';
    expect(requestOf(url, '--data-raw', 'a=b', '--compressed')).toMatchObject({ method: 'POST' });
    expect(requestOf(url, '-d', 'a=b', '-X', 'PUT')).toMatchObject({ method: 'PUT' });
  });

  test('--cookie is the value of _guard', () => {
    expect(requestOf('https://shop.example/', '--cookie', 'abc')).toMatchObject({ cookie: 'abc' });
  });
});

test('- reads standard input', () => {
  expect(read('-').body).toBe('{"from":"stdin"}');
});

describe('invalid arguments are reported in one sentence', () => {
  test.each([
    [['https://a.example/'], 'say where the request comes from: --ip'],
    [['https://a.example/', '--ip', '192.0.2.1', '-H', 'Accept'], 'a header is written'],
    [['https://a.example/', 'https://b.example/'], 'one request at a time'],
    [['shop.example/login'], 'cannot read shop.example/login: give a URL with its scheme'],
    [['-', '--session', 'new'], '--session is verified or issued'],
    [['-', '--session', 'issued', '--cookie', 'x'], 'give one of the two'],
    [['-', '--colour'], '--colour'],
  ])('%j', (args, message) => {
    const reading = readRequest(['--config', 'guard.yaml', ...args], stdin);
    expect(reading).toEqual(expect.stringContaining(message));
  });

  test('without settings an error is reported', () => {
    expect(readRequest(['-'], stdin)).toEqual(expect.stringContaining('--config'));
  });
});
