import type { ServerResponse } from 'node:http';

interface Answer {
  readonly to: ServerResponse;
  readonly json: string;
}

/**
 * Answers 200 with JSON, behind everything that arrived in the same turn of the event loop. A lone
 * request waits for nothing. Under load the callers' process is woken once for many answers and not
 * once for each, which was a third of what a request cost (bench/validate.ts). What waits is bounded
 * by the connections that had something to read in that turn.
 */
export function createWriteTogether(): (to: ServerResponse, json: string) => void {
  let waiting: Answer[] = [];

  function writeAll(): void {
    const answers = waiting;
    waiting = [];
    for (const { to, json } of answers) {
      to.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(json),
      });
      to.end(json);
    }
  }

  return (to, json) => {
    if (waiting.push({ to, json }) === 1) setImmediate(writeAll);
  };
}
