import type { Match } from '../sections/rule.ts';
import { BEHIND_A_SCRIPT } from './behind-a-script.ts';
import { CAUGHT_LYING } from './caught-lying.ts';

const LFS_JSON = 'application/vnd.git-lfs+json*';

/**
 * Smart HTTP as gitprotocol-http has it, and the batch, lock and object requests of git-lfs. By path, method
 * and form alone: any program can send the User-Agent `git/2`, and JGit, go-git and CI runners send another.
 */
export const git: Match = {
  any: [
    {
      method: ['GET'],
      path: ['/**/info/refs'],
      query: { service: { regex: '^git-(upload|receive)-pack$' } },
    },
    {
      method: ['POST'],
      path: ['/**/git-upload-pack'],
      header: { 'content-type': 'application/x-git-upload-pack-request' },
    },
    {
      method: ['POST'],
      path: ['/**/git-receive-pack'],
      header: { 'content-type': 'application/x-git-receive-pack-request' },
    },
    {
      method: ['POST'],
      path: [
        '/**/info/lfs/objects/batch',
        '/**/info/lfs/verify',
        '/**/info/lfs/locks',
        '/**/info/lfs/locks/verify',
        '/**/info/lfs/locks/*/unlock',
      ],
      header: { 'content-type': LFS_JSON },
    },
    { method: ['GET'], path: ['/**/info/lfs/locks'], header: { accept: LFS_JSON } },
    {
      method: ['GET', 'PUT'],
      path: ['/**/info/lfs/objects/*', '/**/info/lfs/objects/*/*'],
    },
  ],
  not: { any: [CAUGHT_LYING, BEHIND_A_SCRIPT] },
};
