/*
 * Settings of the git programs that answer clients, as `name=value` for `git -c`.
 * @see https://git-scm.com/docs/git-config
 */

/** Limit in bytes of a push: git holds new files of the work tree in memory. */
const maxPushBytes = 256 * 2 ** 20

/** Hides all refs but branches and tags. The last entry that matches a name applies. */
const onlyBranchesAndTags = ['refs', '!refs/heads', '!refs/tags'].map(ref => `transfer.hideRefs=${ref}`)

const common = [
  ...onlyBranchesAndTags,
  // The folder may belong to another user. The operator who configured the server trusts it.
  'safe.directory=*',
  // The server sets an empty graft file, about which git would warn the clients.
  'advice.graftFileDeprecated=false',
]

/** Settings for a fetch of a caller who may read everything. */
export const fetchSettings: readonly string[] = [...common, 'uploadpack.allowFilter=true']

/** Settings that show the served branch only: other branches may contain records that callers may not read. */
export function servedBranchSettings(branch: string): readonly string[] {
  return [...fetchSettings, 'transfer.hideRefs=refs', `transfer.hideRefs=!${branch}`]
}

/**
 * Settings for a push. Git checks the objects, stores them as one pack, and moves branches if the hook lets it.
 * @param hooks folder with the `pre-receive` hook
 */
export function pushSettings(hooks: string): readonly string[] {
  return [
    ...common,
    // A push may move the checked-out branch: the server updates the work tree itself.
    'receive.denyCurrentBranch=ignore',
    'receive.fsckObjects=true',
    // By default, git only warns about an unknown mode of a file. No git command has written one since 2005.
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

/** Memory limit in bytes of each process of a push: for some of the largest files, and the list of received objects. */
export function pushMemory(largestFile: number): number {
  return 2 ** 30 + 8 * largestFile
}

/** Memory limit in bytes of each process of a fetch, if the repository is empty. */
export function fetchMemory(largestFile: number): number {
  return 2 ** 29 + 8 * largestFile
}
