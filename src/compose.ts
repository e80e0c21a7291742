import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from './catalog/catalog.js'
import { watchBranch } from './catalog/follow/branch-watcher.js'
import { catalogFile, openCatalog } from './catalog/open-catalog.js'
import { openAside } from './catalog/other-branches/point-reader.js'
import type { Config, RemoteConfig } from './config.js'
import { publicSubjects } from './core/access-control.js'
import type { MetricsRecorder } from './core/metrics-recorder.js'
import { ProblemError } from './core/problem.js'
import type { Id } from './core/value-types.js'
import { openComparisons } from './service/comparisons/comparisons.js'
import { watchEdits } from './service/git/abandoned-edits.js'
import { type CommitChecker, openCommitChecker } from './service/git/check-commits.js'
import { openPushReceiver } from './service/git/receive-push.js'
import { openUndoneBook } from './service/git/report-undone-updates.js'
import { openSmartHttp } from './service/git/smart-http.js'
import { openSpace } from './service/operations/disk-space.js'
import { openGauges } from './service/operations/gauges.js'
import { openHealth } from './service/operations/health-check.js'
import { warmListAnchors } from './service/operations/refresh-page-positions.js'
import { type FreshCatalog, openVerify } from './service/operations/verify-repository.js'
import { openChanges } from './service/record-history/changes-since.js'
import { openDiffAndBlame } from './service/record-history/diff-and-blame.js'
import { openRecordsAtPoint } from './service/record-history/read-at-point.js'
import { openRecordLog } from './service/record-history/record-log.js'
import { openPointResolver } from './service/record-history/resolve-point.js'
import { openContentInformation } from './service/records/document-information.js'
import { openMetadata } from './service/records/metadata-collection.js'
import { openNewestReader } from './service/records/newest-record.js'
import { openPages } from './service/records/page-reader.js'
import { openSchemas } from './service/records/schema-collection.js'
import { openImpact } from './service/records/schema-impact.js'
import { openReadableSearch } from './service/records/search-results.js'
import {
  type ConnectionStatus,
  type ConnectionStatusFile,
  deleteConnectionStatus,
  openConnectionStatus,
  readConnectionStatus,
} from './service/remotes/connection-status.js'
import { followSource } from './service/remotes/follow-source.js'
import { errorText } from './service/remotes/periodic-task.js'
import { pushToMirror } from './service/remotes/push-to-mirror.js'
import {
  type Refusal,
  readOnlyFollower,
  refusalBesideServer,
  refuseUpdates,
  refuseWrites,
} from './service/remotes/read-only.js'
import { watchSharedLog } from './service/remotes/watch-multi-writer-remote.js'
import { openBundleAssembler } from './service/rules/assemble-schema-bundle.js'
import { openCommitRuleCheck } from './service/rules/commit-rules.js'
import type { Services } from './service/services.js'
import { openTransfer } from './service/transfer/transfer.js'
import { openChangeSets } from './service/updates/apply-change-set.js'
import { openMetadataUpdates } from './service/updates/prepare-metadata.js'
import { openSchemaUpdates } from './service/updates/prepare-schema.js'
import { openCommittedBase } from './service/updates/prepared-update.js'
import { openTransactions } from './service/updates/submit-update.js'
import { type Clone, openClone } from './store/local-clone/open-clone.js'
import { openScratchRepository, type ScratchRepository } from './store/local-clone/scratch-repository.js'
import { announceServer } from './store/locks/server-presence.js'
import { openBlobCache, openBlobReader } from './store/objects/blob-cache.js'
import { readRef } from './store/refs/compare-and-swap.js'
import { openRemoteBranch, type RemoteBranch } from './store/remotes/remote-branch.js'
import { openHeadWatch } from './store/repository/head-watch.js'
import { readMetastoreFile } from './store/repository/metastore-json.js'
import { openRepository, ownFolder, type Repository } from './store/repository/open-repository.js'
import { keepServedRef } from './store/repository/served-branch-file.js'
import { spreadOf } from './store/repository/staging-folder.js'
import { openCommitSigner } from './store/write/commit-signer.js'
import { openWriter } from './store/write/update-queue.js'
import type { Writer } from './store/write/writer.js'
import { openValidator } from './validation/open-validator.js'
import type { Validator } from './validation/validator.js'

export interface ComposeOptions {
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
  /** Whether it runs as a server, which other processes can see in the repository. */
  readonly serving?: boolean
  /** Script of a thread that reads what many ask for; default: there is none. */
  readonly readingThread?: URL | undefined
  /** Is told of the work that is done. */
  readonly observer?: MetricsRecorder | undefined
  /** Milliseconds that a turn of git commands in the work tree lasts; benchmarks measure what it costs. */
  readonly gitTurn?: number | undefined
  /** Validates for several repositories, and stays open after them; default: one of its own. */
  readonly validator?: Validator | undefined
}

/**
 * Opens the data folder and everything over it, and brings the catalog up to the branch. Validation workers start
 * with the first document.
 * @throws ProblemError `unusable-repository`, `unavailable`
 */
export async function compose(config: Config, options: ComposeOptions): Promise<Services> {
  /** What is open, last opened first. */
  const opened: (() => Promise<void> | void)[] = []
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne()
  }
  try {
    const services = await openAll(config, options, closeOne => opened.push(closeOne))
    let closing: Promise<void> | undefined
    return {
      ...services,
      close() {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What looks at commits of a clone, of whatever branch, and changes nothing there. */
export interface CommitCheckSession extends CommitChecker {
  readonly clone: Clone
  readonly borrowed: ScratchRepository
  close(): Promise<void>
}

export interface CheckRoomOptions {
  /** Objects that `git receive-pack` keeps in quarantine while `pre-receive` runs count too. */
  readonly quarantine?: boolean
  /** Is told how many commits have been read. */
  readonly progress: (commits: number) => void
}

/**
 * Opens a clone to check commits of it.
 * @throws ProblemError `unusable-repository`
 */
export async function composeCommitCheck(
  config: Config,
  options: CheckRoomOptions,
): Promise<CommitCheckSession> {
  const { quarantine = false, progress } = options
  const clone = await openClone(config.data, { git: config.git, quarantine })
  const borrowed = await openScratchRepository(clone)
  const { objects } = borrowed
  const validator = openConfigured(config)
  const documents = openBlobCache(objects)
  const bundles = openBundleAssembler(documents, validator)
  const checker = openCommitChecker({
    dir: clone.dir,
    borrowed,
    known: join(clone.commonDir, ownFolder, catalogFile),
    open: parts => openCatalog({ ...parts, objects }),
    judge: openCommitRuleCheck({ documents, bundles, validator }),
    progress,
  })
  return {
    ...checker,
    clone,
    borrowed,
    async close() {
      await validator.close()
      await borrowed.close()
    },
  }
}

function openConfigured(config: Config, observer?: MetricsRecorder): Validator {
  return openValidator({
    observer,
    xmlEngine: config.xmlEngine,
    timeLimit: config.validationTime,
    memoryLimit: config.validationMemory,
    depthLimit: config.validationDepth,
    ...(config.workers > 0 ? { workers: config.workers } : {}),
  })
}

async function openAll(
  config: Config,
  { report, serving = false, readingThread, observer, gitTurn, validator: given }: ComposeOptions,
  onClose: (close: () => Promise<void> | void) => void,
): Promise<Omit<Services, 'close'>> {
  const repository = await openRepository(config.data, { git: config.git })
  onClose(() => repository.close())
  const { objects, history, ownDir, gitDir, branch } = repository
  keepServedRef(repository, branch)
  if (serving) {
    const spread = spreadOf(repository)
    if (spread) throw spread
    onClose(announceServer(ownDir))
  }
  const watchHead = openHeadWatch(repository, report)

  const other = config.remote && (await openOther(repository, config.remote, report))
  if (other) onClose(() => other.branch.close())

  const validator = given ?? openConfigured(config, observer)
  if (!given) onClose(() => validator.close())

  const documents = openBlobCache(objects)
  const bundles = openBundleAssembler(documents, validator)
  const judge = openCommitRuleCheck({ documents, bundles, validator })
  const catalog = openCatalog({
    file: join(ownDir, catalogFile),
    objects,
    together: readingThread && { script: readingThread, gitDir },
    history,
    judge,
    report,
    onDamage: () => {
      writer
        .catchUp()
        .catch((error: unknown) => report(`The catalog cannot be made anew: ${errorText(error)}`))
    },
  })
  onClose(() => catalog.close())

  const writer = openWriter({
    repository,
    ledger: catalog.ledger,
    report,
    patience: config.patience,
    mergePace: config.mergePace,
    observer,
    gitTurn,
    sign: config.sign === undefined ? undefined : await openCommitSigner(config.sign),
    log: other?.role === 'log' ? other.branch : undefined,
  })
  onClose(() => writer.close())
  await writer.catchUp().catch((thrown: unknown) => {
    // Without the log nothing is stored, but what there is can be read.
    if (other?.role !== 'log' || !(thrown instanceof ProblemError) || catalog.head() === undefined)
      throw thrown
  })

  const follower = await watchBranch({
    gitDir,
    branch,
    report,
    onChange: async () => {
      watchHead()
      await writer.catchUp()
      // What another process of ours committed is in the catalog already.
      catalog.moves.tell()
    },
  })
  onClose(() => follower.close())

  async function rebuild(): Promise<FreshCatalog> {
    const folder = await mkdtemp(join(tmpdir(), 'git-metastore-verify-'))
    const fresh = openCatalog({ file: join(folder, 'catalog.sqlite'), objects, history, judge })
    const discard = async () => {
      await fresh.close()
      await rm(folder, { recursive: true, force: true })
    }
    try {
      await fresh.ledger.catchUp(catalog.head() ?? (await repository.head()))
      return { catalog: fresh, discard }
    } catch (error) {
      await discard()
      throw error
    }
  }

  if (serving) {
    onClose(warmListAnchors({ catalog, report }).close)
    onClose(watchEdits({ repository, writer, report }).close)
  }

  const { git } = repository
  const pushes =
    config.allowPush && git !== undefined
      ? await openPushReceiver({ repository, git, catalog, validator, writer, report })
      : undefined
  async function isPublic(): Promise<boolean> {
    // Commits made beside the server count too.
    await writer.catchUp()
    return catalog.committed.isOpenTo(publicSubjects)
  }
  const remote = openSmartHttp({ repository, longest: config.gitTime, pushes, isPublic })
  onClose(() => remote.close())

  if (other) onClose(keepUpWith(other, { repository, catalog, writer }))
  if (serving && !other) deleteConnectionStatus(ownDir)
  const refusal = refusalOf(other, serving ? undefined : readConnectionStatus(ownDir))
  const desk = openTransactions(catalog, writerFor(writer, other, refusal))
  const { chain, head } = catalog
  const points = openPointResolver({ gitDir, branch, chain, head, objects, history })
  const past = openRecordsAtPoint({
    committed: catalog.committed,
    points,
    aside: openAside({ objects, history, committed: catalog.committed, judge, chain }),
  })
  const room = { desk, documents, bundles, validator, year: () => new Date().getUTCFullYear() }
  const committed = openCommittedBase(desk, bundles)
  const updates = {
    schemas: openSchemaUpdates({ ...room, committed: catalog.committed }),
    metadata: openMetadataUpdates(room),
  }
  const space = openSpace(repository)
  const undone = openUndoneBook(ownDir, catalog.surroundings, catalog.head)
  const newId = () => randomUUID() as string as Id
  const verify = openVerify({ repository, catalog, documents, bundles, validator, rebuild })
  const comparisons = openComparisons()
  const schemas = openSchemas({ ...room, committed, updates: updates.schemas, past })
  const metadata = openMetadata({ desk, committed, updates: updates.metadata, newId })
  const services: Omit<Services, 'close'> = {
    schemas,
    metadata,
    pages: openPages({ catalog, past, schemas, metadata }),
    transfer: openTransfer({
      ...room,
      history,
      chronicle: catalog.chronicle,
      about: async () => readMetastoreFile(repository.dir, await repository.head(), objects, history),
    }),
    past: { find: past.find, list: past.list, read: past.read },
    audit: { ...openRecordLog({ committed: catalog.committed, repository, comparisons }), verify },
    lineage: openDiffAndBlame({ committed: catalog.committed, documents, repository, comparisons }),
    readNewest: openNewestReader(catalog),
    readDocument: revision => documents.read(revision.document),
    contentInformation: openContentInformation({ committed: catalog.committed, documents, history }),
    search: openReadableSearch(catalog),
    smartHttp: remote.answer,
    changes: openChanges({ catalog, desk, history, undone }),
    changeSets: openChangeSets({ desk, committed, ...updates, newId }),
    impact: openImpact({
      ...room,
      documents: openBlobReader(objects),
      updates: updates.schemas,
      timeLimit: config.validationTime,
    }),
    health: openHealth({
      ...{ repository, catalog, writer, documents },
      takesPushes: pushes !== undefined,
      book: other?.book,
      undone,
    }),
    isBehind: () => catalog.ledger.isStuck && !isAtHead(repository, catalog),
    space,
    figures: openGauges({ repository, catalog, writer, validator, space }),
    workTreeUpToDate: () => writer.settled(),
  }
  return refusal ? refuseUpdates(services, refusal) : services
}

/** What cannot be looked at is not known to be. */
function isAtHead({ gitDir, branch }: Repository, catalog: Catalog): boolean {
  try {
    return readRef(gitDir, branch) === catalog.head()
  } catch (error) {
    if (error instanceof RangeError || error instanceof ProblemError) return false
    throw error
  }
}

/** Another repository, and how things stand with it. */
interface Other extends RemoteConfig {
  readonly branch: RemoteBranch
  readonly book: ConnectionStatusFile
}

async function openOther(
  repository: Repository,
  config: RemoteConfig,
  report: (line: string) => void,
): Promise<Other> {
  const { role, remote } = config
  const branch = await openRemoteBranch(repository, remote, role === 'source' ? 'fetch' : 'push')
  const book = openConnectionStatus(repository.ownDir, { role, address: branch.address }, report)
  return { ...config, branch, book }
}

/** @param beside what the server on the same folder has to do with another repository */
function refusalOf(other: Other | undefined, beside: ConnectionStatus | undefined): Refusal | undefined {
  if (other?.role === 'source') return () => readOnlyFollower(other.branch.address)
  return other || !beside ? undefined : refusalBesideServer(beside)
}

/** The writer as updates see it. */
function writerFor(writer: Writer, other: Other | undefined, refusal: Refusal | undefined): Writer {
  if (refusal) return refuseWrites(writer, refusal)
  // Nothing is refused for what other servers may have changed.
  return other?.role === 'log' ? { ...writer, catchUp: writer.syncSharedLog } : writer
}

/** @returns what ends it */
function keepUpWith(
  { role, branch, book, interval }: Other,
  { repository, catalog, writer }: { repository: Repository; catalog: Catalog; writer: Writer },
): () => Promise<void> {
  const keeping = {
    source: () => followSource({ repository, source: branch, writer, book, interval }),
    mirror: () => pushToMirror({ catalog, mirror: branch, book }),
    log: () => watchSharedLog({ catalog, log: branch, writer, book, interval }),
  }[role]()
  return keeping.close
}
