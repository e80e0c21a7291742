/**
 * What another repository is to a server: the `source` it follows; a `mirror` it pushes to; or the `log` it shares with
 * other servers, which has every update before that is answered.
 */
export type RemoteRole = 'source' | 'mirror' | 'log'
