import { expect, test } from 'vitest';
import { QUERY } from '@guard/config/contract/limits';
import { introspect } from './introspect.ts';

const serverInfo = { version: '', revision: 0, organisation: 'acme' };

test.each(['DESC a', 'SHOW DATABASES', 'SHOW TABLES FROM a', 'EXISTS a'])(
  'many blanks take little time and do not change the statement: %s',
  (start) => {
    const sql = `${start}${' '.repeat(QUERY.maxStatementChars)}x`;
    const before = process.threadCpuUsage();
    expect(introspect(sql, serverInfo)).toBe(sql);
    // The call takes some milliseconds. An earlier version needed a second and a half. The limit is on the
    // processor time of this thread, so other programs and threads do not matter.
    expect(process.threadCpuUsage(before).user).toBeLessThan(300_000);
  },
);
