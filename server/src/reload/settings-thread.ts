/** The thread that reads settings once. The main thread could answer no request for the second of a large file. */
import { parentPort, workerData } from 'node:worker_threads';
import { positionsOfSettings, type ReadMessage, type ReadRequest } from './read-again.ts';
import { loadSettings } from '@guard/config/settings/load';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import { atOnce } from '@guard/config/time/slices';
import { toPieces } from './settings-pieces.ts';

// read-again.ts passes this to the thread.
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
