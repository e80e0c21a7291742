/** What another repository is to a server: the `source` it follows, or a `mirror` it pushes to. */
export type RemoteRole = 'source' | 'mirror'
