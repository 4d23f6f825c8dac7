import type { Match } from '../sections/rule.ts';

/** Ends of the names of scripts. */
const SCRIPTS =
  'php[0-9]?|phtml|asp|aspx|ashx|jsp|jspx|cfm|cfc|do|action|cgi|fcgi|pl|py|rb|shtml|exe|dll';

/**
 * A path that goes on behind the name of a script (RFC 3875 4.1.5, PATH_INFO). Such a server runs the
 * script and takes the rest for an argument: `/shop.php/feed` is the shop. In `/cgi-bin/` each name is a script.
 */
export const BEHIND_A_SCRIPT: Match = {
  path: [{ regex: String.raw`(?i)(\.(${SCRIPTS})|/f?cgi-bin)/` }],
};
