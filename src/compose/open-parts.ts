import { join } from 'node:path'
import type { Catalog, RuleCheck } from '../catalog/catalog.js'
import { watchBranch } from '../catalog/follow/branch-watcher.js'
import { catalogFile, openCatalog } from '../catalog/open-catalog.js'
import type { Config } from '../config.js'
import type { MetricsRecorder } from '../core/metrics-recorder.js'
import { isPlain } from '../core/plain-mode.js'
import { ProblemError } from '../core/problem.js'
import { errorText } from '../service/remotes/periodic-task.js'
import { type BundleAssembler, openBundleAssembler } from '../service/rules/assemble-schema-bundle.js'
import { openCommitRuleCheck } from '../service/rules/commit-rules.js'
import { type BlobCache, openDocumentReader } from '../store/blobs/blob-reader.js'
import { announceServer } from '../store/locks/process-lock.js'
import { openHeadWatch } from '../store/repository/head-watch.js'
import { keepServedRef, openRepository, type Repository } from '../store/repository/open-repository.js'
import { spreadOf } from '../store/repository-folder/staging-folder.js'
import { openCommitSigner } from '../store/write/commit-signer.js'
import { openWriter } from '../store/write/open-writer.js'
import type { Writer } from '../store/write/writer-interface.js'
import type { Validator } from '../validation/validator.js'
import { openConfiguredValidator } from './configured-validator.js'
import type { OtherRepository } from './other-repository.js'

export interface PartOptions {
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
  /** Whether this process is a server, which other processes can see in the repository. */
  readonly serving?: boolean
  /** Aborted when this process has to end. Then the first contact with another repository ends, too. */
  readonly ending?: AbortSignal | undefined
  /** Script of the thread that reads revisions and lists. Default: no thread. */
  readonly readingThread?: URL | undefined
  /** Receives the metrics. */
  readonly observer?: MetricsRecorder | undefined
  /** Milliseconds of a turn of git commands in the work tree. Benchmarks set it. */
  readonly gitTurn?: number | undefined
  /** SQL that makes the tables of features in the catalog's file. */
  readonly tables?: string | undefined
  /** A validator that several repositories share; it stays open. Default: a new one. */
  readonly validator?: Validator | undefined
}

/** Registers the function that closes a part. */
export type OnClose = (close: () => Promise<void> | void) => void

/** What the services work on. */
export interface Parts {
  readonly repository: Repository
  readonly other: OtherRepository | undefined
  readonly validator: Validator
  readonly documents: BlobCache
  readonly bundles: BundleAssembler
  readonly checkRules: RuleCheck
  readonly catalog: Catalog
  readonly writer: Writer
}

/** Opens the repository, its catalog and its writer, in order. Reads new commits of the branch into the catalog. */
export async function openParts(config: Config, options: PartOptions, onClose: OnClose): Promise<Parts> {
  const { report } = options
  const repository = await openOwnRepository(config, options, onClose)
  const watchHead = openHeadWatch(repository, report)

  const other = config.remote && (await openOther(repository, config.remote, report))
  if (other) onClose(() => other.branch.close())

  const validator = options.validator ?? openConfiguredValidator(config, options.observer)
  if (!options.validator) onClose(() => validator.close())

  const documents = openDocumentReader(repository.objects)
  const bundles = openBundleAssembler(documents, validator)
  const checkRules = openCommitRuleCheck({ documents, bundles, validator })
  const catalog = openServedCatalog(repository, checkRules, options, () => {
    writer.catchUp().catch((error: unknown) => report(`The catalog cannot be rebuilt: ${errorText(error)}`))
  })
  onClose(() => catalog.close())

  const writer = await openServedWriter(config, options, { repository, catalog, other })
  onClose(() => writer.close())
  await endingWith(options.ending, other, writer.catchUp()).catch((thrown: unknown) => {
    // Without the shared log updates fail, but records can be read.
    if (other?.role !== 'log' || !(thrown instanceof ProblemError) || catalog.head() === undefined)
      throw thrown
  })

  const { gitDir, branch } = repository
  const follower = await watchBranch({
    gitDir,
    branch,
    report,
    onChange: async () => {
      watchHead()
      await writer.catchUp()
      // Commits of other git-metastore processes are in the catalog already, but readers may wait for them.
      catalog.headChanges.notify()
    },
  })
  onClose(() => follower.close())
  return { repository, other, validator, documents, bundles, checkRules, catalog, writer }
}

/** Waits for `work`. If the signal is aborted, `work` stops waiting for another repository that does not answer. */
async function endingWith(
  ending: AbortSignal | undefined,
  other: OtherRepository | undefined,
  work: Promise<unknown>,
): Promise<void> {
  const close = () => void other?.branch.close()
  if (ending?.aborted) close()
  ending?.addEventListener('abort', close)
  try {
    await work
  } finally {
    ending?.removeEventListener('abort', close)
  }
}

/** Opens the other repository. Loads its code only then, because most servers have no other repository. */
async function openOther(
  ...options: Parameters<typeof import('./other-repository.js').openOtherRepository>
): Promise<OtherRepository> {
  const { openOtherRepository } = await import('./other-repository.js')
  return await openOtherRepository(...options)
}

async function openOwnRepository(
  config: Config,
  { serving = false }: PartOptions,
  onClose: OnClose,
): Promise<Repository> {
  const repository = await openRepository(config.data, { git: config.git })
  onClose(() => repository.close())
  keepServedRef(repository, repository.branch)
  if (serving) {
    const spread = spreadOf(repository)
    if (spread) throw spread
    onClose(announceServer(repository.ownDir))
  }
  return repository
}

function openServedCatalog(
  { objects, history, ownDir, gitDir }: Repository,
  checkRules: RuleCheck,
  { report, readingThread, tables }: PartOptions,
  onDamage: () => void,
): Catalog {
  return openCatalog({
    file: join(ownDir, catalogFile),
    objects,
    readerThread: readingThread && !isPlain ? { script: readingThread, gitDir } : undefined,
    history,
    checkRules,
    report,
    onDamage,
    tables,
  })
}

async function openServedWriter(
  config: Config,
  { report, observer, gitTurn }: PartOptions,
  { repository, catalog, other }: Pick<Parts, 'repository' | 'catalog' | 'other'>,
): Promise<Writer> {
  return openWriter({
    repository,
    catalog: catalog.writer,
    report,
    patience: config.patience,
    mergePace: config.mergePace,
    observer,
    gitTurn,
    sign: config.sign === undefined ? undefined : await openCommitSigner(config.sign),
    log: other?.role === 'log' ? other.branch : undefined,
  })
}
