import { join } from 'node:path'
import type { Catalog, RuleCheck } from '../catalog/catalog.js'
import { watchBranch } from '../catalog/follow/branch-watcher.js'
import { catalogFile, openCatalog } from '../catalog/open-catalog.js'
import type { Config } from '../config.js'
import type { MetricsRecorder } from '../core/metrics-recorder.js'
import { isPlain } from '../core/plain-mode.js'
import { errorText, ProblemError } from '../core/problem.js'
import { type BundleAssembler, openBundleAssembler } from '../service/rules/assemble-schema-bundle.js'
import { openCommitRuleCheck } from '../service/rules/commit-rules.js'
import { type BlobCache, openDocumentReader } from '../store/blobs/blob-reader.js'
import { announceServer } from '../store/locks/process-lock.js'
import { openHeadWatch } from '../store/repository/head-watch.js'
import { keepServedRef, openRepository, type Repository } from '../store/repository/open-repository.js'
import { spreadOf } from '../store/repository-folder/staging-folder.js'
import type { CommitLog } from '../store/write/commit-log.js'
import { openCommitSigner } from '../store/write/commit-signer.js'
import { openWriter } from '../store/write/open-writer.js'
import type { Writer } from '../store/write/writer-interface.js'
import type { Validator } from '../validation/validator.js'
import { openConfiguredValidator } from './configured-validator.js'

/** A connection with another repository, which a feature opens before the writer. */
export interface Connection {
  /** The refusal of every update. Undefined: updates are accepted. */
  readonly refusal?: (() => ProblemError) | undefined
  /** Must have each commit before it counts as stored. */
  readonly log?: CommitLog
  /**
   * A time in milliseconds: every commit that the other repository had then is here. The function returns undefined
   * until that is known. Absent: no commits come from there.
   */
  readonly completeUntil?: () => number | undefined
  /** Ends what waits for the other repository: after the writer is closed, or if the process has to end at its start. */
  close?(): Promise<void>
}

/**
 * Opens the connection of a repository, if it has one.
 * @param process `serving`: whether this process is a server; other processes only respect the connection of the server
 */
export type Connect = (
  repository: Repository,
  process: Pick<PartOptions, 'report'> & { readonly serving: boolean },
) => Promise<Connection | undefined>

export interface PartOptions {
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
  /** Whether this process is a server, which other processes can see in the repository. */
  readonly serving?: boolean
  /** Aborted when this process has to end. Then it stops waiting for another repository. */
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
  /** The connection with another repository; undefined: there is none. */
  readonly connection: Connection | undefined
  readonly validator: Validator
  readonly documents: BlobCache
  readonly bundles: BundleAssembler
  readonly checkRules: RuleCheck
  readonly catalog: Catalog
  readonly writer: Writer
}

/** Opens the repository, its catalog and its writer, in order. Reads new commits of the branch into the catalog. */
export async function openParts(
  config: Config,
  options: PartOptions,
  connect: Connect,
  onClose: OnClose,
): Promise<Parts> {
  const { report, serving = false } = options
  const repository = await openOwnRepository(config, options, onClose)
  const watchHead = openHeadWatch(repository, report)

  const connection = await connect(repository, { serving, report })
  onClose(() => connection?.close?.())

  const validator = options.validator ?? openConfiguredValidator(config, options.observer)
  if (!options.validator) onClose(() => validator.close())

  const documents = openDocumentReader(repository.objects)
  const bundles = openBundleAssembler(documents, validator)
  const checkRules = openCommitRuleCheck({ documents, bundles, validator })
  const catalog = openServedCatalog(repository, checkRules, options, () => {
    writer.catchUp().catch((error: unknown) => report(`The catalog cannot be rebuilt: ${errorText(error)}`))
  })
  onClose(() => catalog.close())

  const writer = await openServedWriter(config, options, { repository, catalog, log: connection?.log })
  onClose(() => writer.close())
  await endingWith(options.ending, connection, writer.catchUp()).catch((thrown: unknown) => {
    // Without the log updates fail, but records can be read.
    if (!connection?.log || !(thrown instanceof ProblemError) || catalog.head() === undefined) throw thrown
  })

  const { gitDir, branch } = repository
  const follower = await watchBranch({
    gitDir,
    branch,
    report,
    isOutdated: () => writer.isIndexUnchecked(),
    onChange: async () => {
      watchHead()
      await writer.catchUp()
      // Commits of other git-metastore processes are in the catalog already, but readers may wait for them.
      catalog.noticeOthers()
    },
  })
  onClose(() => follower.close())
  return { repository, connection, validator, documents, bundles, checkRules, catalog, writer }
}

/** Waits for `work`. If the signal is aborted, `work` stops waiting for another repository that does not answer. */
async function endingWith(
  ending: AbortSignal | undefined,
  connection: Connection | undefined,
  work: Promise<unknown>,
): Promise<void> {
  const close = () => void connection?.close?.()
  if (ending?.aborted) close()
  ending?.addEventListener('abort', close)
  try {
    await work
  } finally {
    ending?.removeEventListener('abort', close)
  }
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
  {
    repository,
    catalog,
    log,
  }: Pick<Parts, 'repository' | 'catalog'> & { readonly log: CommitLog | undefined },
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
    log,
  })
}
