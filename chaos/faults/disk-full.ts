import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Crowd } from '../crowd.ts';
import { type Claim, everyAnswerIsRight, type Fault } from '../fault.ts';
import { countWhenAllAre, untilRecorded } from '../recorded.ts';
import { type Site, startSite } from '../site.ts';
import { makeSmallDisk, smallDiskHindrance, type SmallDisk } from '../small-disk.ts';

const ENOUGH = 600;
const WRITTEN = 'guard_events_total{fate="written"}';
const RETRIED = 'guard_events_total{fate="retried"}';

export const diskFull: Fault = {
  done: 'the disk with the database and the sessions (a small ext4) is full, has room again, and is full at the end',
  hindrance: smallDiskHindrance,
  async inflict(trial) {
    const disk = await makeSmallDisk(trial);
    const site = await startSite(trial, {
      topLevelSettings: {
        analytics: { engine: 'embedded', path: join(disk.folder, 'analytics') },
        store: { engine: 'memory', path: join(disk.folder, 'sessions') },
      },
    });
    const { product } = site;
    const crowd = site.startCrowd();
    await untilRecorded(product);

    trial.say('the disk is full');
    await disk.fill();
    await site.waitForMetric(RETRIED, (retried) => retried > 0);
    await crowd.seeMore(ENOUGH);
    const queued = await site.metric('guard_events_queued');
    trial.say('there is room again');
    await disk.removeFiller();
    await crowd.seeMore(ENOUGH);
    const traffic = await crowd.leave();
    const { rows, requests } = await countWhenAllAre(product, traffic.requests);
    const isComplete = rows === traffic.requests && requests === traffic.requests;
    const outcomeBefore = site.outcome(traffic, []);
    return {
      ...outcomeBefore,
      claims: [
        everyAnswerIsRight(traffic),
        {
          what: 'events wait while the disk is full, and none is lost afterwards',
          seen: `${queued} waited; ${rows} rows with ${requests} different requests; ${traffic.requests} requests were sent`,
          holds: queued > 0 && isComplete,
        },
        ...(await endWithFullDisk(site, disk, site.startCrowd())),
      ],
    };
  },
};

/** The number of rows on disk for the next start. A small part of a batch may have found room. */
function spilledRows(folder: string): number {
  const names = readdirSync(folder).filter((name) => name.endsWith('.native'));
  return names.reduce((sum, name) => sum + Number(name.split('-')[2]), 0);
}

/** Stops Guard while nothing can be written: neither to the database nor to the data folder. */
async function endWithFullDisk(site: Site, disk: SmallDisk, crowd: Crowd): Promise<Claim[]> {
  const { product } = site;
  await disk.fill();
  const retried = await site.metric(RETRIED);
  await crowd.seeMore(ENOUGH);
  await crowd.leave();
  await site.waitForMetric(RETRIED, (now) => now > retried);
  const unwrittenRows =
    (await site.metric('guard_events_total{fate="recorded"}')) - (await site.metric(WRITTEN));
  const code = await product.stop();
  const onDisk = spilledRows(join(disk.folder, 'analytics', 'spill'));
  const dropLines = [...product.log().matchAll(/"analytics_events_dropped","rows":(\d+)/g)];
  const droppedRows = dropLines.reduce((sum, [, rows]) => sum + Number(rows), 0);
  const isStoreTold = /"level":"(?:warn|error)","event":"store_snapshot[a-z_]*"/.test(
    product.log(),
  );
  return [
    {
      what: 'Guard ends in order, and logs how many events it could not keep',
      seen: `exit code ${code}; ${droppedRows} logged as dropped and ${onDisk} on disk for the next start, ${unwrittenRows} were not written`,
      holds: code === 0 && droppedRows + onDisk === unwrittenRows && droppedRows > 0,
    },
    {
      what: 'Guard logs that sessions could not be kept',
      seen: isStoreTold ? 'a line in the log' : 'nothing in the log',
      holds: isStoreTold,
    },
  ];
}
