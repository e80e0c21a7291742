import { join } from 'node:path'
import { catalogFile, openCatalog } from '../catalog/open-catalog.js'
import type { Config } from '../config.js'
import { type CommitChecker, openCommitChecker } from '../service/git/check-clone-commits.js'
import { openBundleAssembler } from '../service/rules/assemble-schema-bundle.js'
import { openCommitRuleCheck } from '../service/rules/commit-rules.js'
import type { RecordHooks } from '../service/rules/record-hooks.js'
import { openDocumentReader } from '../store/blobs/blob-reader.js'
import { type Clone, openClone } from '../store/local-clone/open-clone.js'
import { openScratchRepository, type ScratchRepository } from '../store/local-clone/scratch-repository.js'
import { ownFolder } from '../store/repository/open-repository.js'
import { openConfiguredValidator } from './configured-validator.js'

/** Checks commits of any branch of a clone. Changes nothing there. */
export interface CommitCheckSession extends CommitChecker {
  readonly clone: Clone
  readonly scratch: ScratchRepository
  close(): Promise<void>
}

export interface CommitCheckOptions {
  /** Whether to read the objects that `git receive-pack` keeps in quarantine while `pre-receive` runs. */
  readonly quarantine?: boolean
  /** Features whose rules for records hold. */
  readonly features: readonly RecordHooks[]
  /** Called with the number of commits that have been read. */
  readonly progress: (commits: number) => void
}

/**
 * Opens a clone to check its commits.
 * @throws ProblemError `unusable-repository`
 */
export async function composeCommitCheck(
  config: Config,
  options: CommitCheckOptions,
): Promise<CommitCheckSession> {
  const { quarantine = false, features, progress } = options
  const clone = await openClone(config.data, { git: config.git, quarantine })
  const scratch = await openScratchRepository(clone)
  const { objects } = scratch
  const validator = openConfiguredValidator(config)
  const documents = openDocumentReader(objects)
  const bundles = openBundleAssembler(documents, validator)
  const checker = openCommitChecker({
    dir: clone.dir,
    scratch,
    knownCatalog: join(clone.commonDir, ownFolder, catalogFile),
    open: parts => openCatalog({ ...parts, objects }),
    checkRules: openCommitRuleCheck({ documents, bundles, validator, features }),
    progress,
  })
  return {
    ...checker,
    clone,
    scratch,
    async close() {
      await validator.close()
      await scratch.close()
    },
  }
}
