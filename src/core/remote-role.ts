/**
 * The role of a remote repository: the `source` that the server follows, a `mirror` that it pushes to, or the `log`
 * that several servers share and that gets every update before its response.
 */
export type RemoteRole = 'source' | 'mirror' | 'log'
