/*
 * Settings of the git programs that answer clients, as `name=value` for `git -c`.
 * @see https://git-scm.com/docs/git-config
 */

/** Bytes that a push may have: git holds new files of the work tree in memory. */
const maxPushBytes = 256 * 2 ** 20

/** Hides all refs but branches and tags. The last entry that matches a name applies. */
const onlyBranchesAndTags = ['refs', '!refs/heads', '!refs/tags'].map(ref => `transfer.hideRefs=${ref}`)

const common = [
  ...onlyBranchesAndTags,
  // The folder may belong to another user: the configuration of the server names it.
  'safe.directory=*',
  // The server sets an empty graft file, about which git would warn the clients.
  'advice.graftFileDeprecated=false',
]

/** For callers who may read everything. */
export const fetchSettings: readonly string[] = [...common, 'uploadpack.allowFilter=true']

/** Shows the served branch only: other branches may contain records that callers may not read. */
export function servedBranchSettings(branch: string): readonly string[] {
  return [...fetchSettings, 'transfer.hideRefs=refs', `transfer.hideRefs=!${branch}`]
}

/**
 * For callers who push. Git checks the objects, stores them as one pack, and moves branches if the hook lets it.
 * @param hooks folder with the `pre-receive` hook
 */
export function pushSettings(hooks: string): readonly string[] {
  return [
    ...common,
    // The writer updates the work tree.
    'receive.denyCurrentBranch=ignore',
    'receive.fsckObjects=true',
    // By default, git only warns about such a mode. No git command has written one since 2005.
    'receive.fsck.badFilemode=error',
    `receive.maxInputSize=${maxPushBytes}`,
    // A push is stored as one pack, as updates are, and the server merges packs itself.
    'receive.unpackLimit=1',
    'receive.autogc=false',
    'receive.updateServerInfo=false',
    'core.fsync=all',
    `core.hooksPath=${hooks}`,
  ]
}

/**
 * Limits the memory that git uses for mapped packs, caches and deltas. Git does not load a larger file as a whole.
 * @param largestFile in bytes
 */
export function memorySettings(largestFile: number): readonly string[] {
  return [
    `core.bigFileThreshold=${largestFile}`,
    'pack.threads=1',
    'pack.windowMemory=128m',
    'pack.deltaCacheSize=64m',
  ]
}

/** Bytes of memory for each process of a push: some files of the largest size, and the list of received objects. */
export function pushMemory(largestFile: number): number {
  return 2 ** 30 + 8 * largestFile
}

/** Bytes of memory for each process of a fetch from an empty repository. */
export function fetchMemory(largestFile: number): number {
  return 2 ** 29 + 8 * largestFile
}
