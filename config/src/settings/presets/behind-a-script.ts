import type { Match } from '../rule.ts';

/**
 * A path that goes on behind the name of a script (RFC 3875 4.1.5, PATH_INFO). Such a server runs the
 * script and takes the rest for an argument: `/shop.php/feed` is the shop.
 */
export const BEHIND_A_SCRIPT: Match = {
  path: [{ regex: String.raw`(?i)\.(php[0-9]?|phtml|asp|aspx|ashx|jsp|jspx|cfm|do|action)/` }],
};
