import type { ConversationLimits } from '../../store/git-http/pack-service.js'
import { memoryOfGit } from '../../store/process/git-memory-estimate.js'

/*
 * Settings and memory limits of the git processes that answer clients.
 */

/** Limit of a push in bytes: the files for the work tree are held in memory. */
const largestPush = 256 * 2 ** 20

/** Shows clients branches and tags only. The last matching entry decides. */
const onlyBranchesAndTags = ['refs', '!refs/heads', '!refs/tags'].map(ref => `transfer.hideRefs=${ref}`)

const forAll = [
  ...onlyBranchesAndTags,
  // The operator told the server to serve this folder, whoever owns it.
  'safe.directory=*',
  // The server names an empty graft file. Clients need no advice against graft files.
  'advice.graftFileDeprecated=false',
]

const forFetch = [...forAll, 'uploadpack.allowFilter=true']

/** Shows the served branch only: if everyone may read it, other branches can still be secret. */
const forFetchOfServedBranch = (branch: string) => [
  ...forFetch,
  'transfer.hideRefs=refs',
  `transfer.hideRefs=!${branch}`,
]

const forPush = [
  ...forAll,
  // The writer updates the work tree.
  'receive.denyCurrentBranch=ignore',
  'receive.fsckObjects=true',
  // By default a warning: a file mode that git has not written since 2005.
  'receive.fsck.badFilemode=error',
  `receive.maxInputSize=${largestPush}`,
  // Keeps the push as one pack. The server merges packs itself.
  'receive.unpackLimit=1',
  'receive.autogc=false',
  'receive.updateServerInfo=false',
  'core.fsync=all',
]

/** Limits the memory that git uses by its own choice: for deltas, and for files larger than any accepted one. */
const inLittleMemory = (largestFile: number) => [
  `core.bigFileThreshold=${largestFile}`,
  'pack.threads=1',
  'pack.windowMemory=128m',
  'pack.deltaCacheSize=64m',
]

/**
 * Limits of a clone or fetch.
 * @param largestFile bytes of the largest accepted file
 * @param onlyBranch full name of the only branch that the client gets; undefined: all branches and tags
 */
export async function fetchLimits(
  gitDir: string,
  largestFile: number,
  onlyBranch: string | undefined,
): Promise<ConversationLimits> {
  const settings = onlyBranch === undefined ? forFetch : forFetchOfServedBranch(onlyBranch)
  return {
    settings: [...settings, ...inLittleMemory(largestFile)],
    memory: await memoryOfGit(gitDir, 2 ** 29 + 8 * largestFile),
  }
}

/**
 * Limits of a push. The memory is for a few files of the largest size, and a list of the received objects.
 * @param hooks folder of the hooks that git runs
 */
export function pushLimits(largestFile: number, hooks: string): ConversationLimits {
  return {
    settings: [...forPush, ...inLittleMemory(largestFile), `core.hooksPath=${hooks}`],
    memory: 2 ** 30 + 8 * largestFile,
  }
}
