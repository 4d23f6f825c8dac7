/**
 * The thread that reads the settings once. Reading a large file takes a second, and in this time the main thread could
 * answer no request.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { positionsOfSettings, type ReadMessage, type ReadRequest } from './read-again.ts';
import { loadSettings } from '@guard/config/settings/load';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import { atOnce } from '@guard/config/time/slices';
import { toPieces } from './settings-pieces.ts';

// The cast is safe, because read-again.ts passes this value to the thread.
const { file, env } = workerData as ReadRequest;
const result = loadSettings(file, env);
if (result.kind === 'invalid') {
  parentPort?.postMessage(result satisfies ReadMessage);
} else {
  const { settings, files, lists } = result;
  const pieces = atOnce(toPieces(settings, lists));
  const message: ReadMessage = {
    kind: 'loaded',
    pieces,
    files,
    places: positionsOfSettings(result),
    revision: settingsRevision(settings),
  };
  parentPort?.postMessage(
    message,
    pieces.map(({ buffer }) => buffer),
  );
}
