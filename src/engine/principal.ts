// On whose behalf a call is made where no API key says so.

export const ANONYMOUS = 'anonymous';
/** The server's own maintenance. */
export const SYSTEM = 'system';
