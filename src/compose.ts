import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAside } from './catalog/aside.js'
import type { Catalog } from './catalog/catalog.js'
import { followBranch } from './catalog/follow.js'
import { catalogFile, openCatalog } from './catalog/open.js'
import type { Config, RemoteConfig } from './config.js'
import { everybody } from './core/access.js'
import type { Observer } from './core/observer.js'
import { ProblemError } from './core/problem.js'
import type { Id } from './core/values.js'
import { openAudit } from './service/audit.js'
import { openChangeSets } from './service/change-sets.js'
import { openChanges } from './service/changes.js'
import { type Checker, openChecker } from './service/check.js'
import { openComparisons } from './service/comparisons.js'
import { openContentInformation } from './service/content.js'
import { openDesk } from './service/desk.js'
import { openDocuments, uncached } from './service/documents.js'
import { watchEdits } from './service/edits-watch.js'
import { openFigures } from './service/figures.js'
import { followSource } from './service/following.js'
import { openHealth } from './service/health.js'
import { openImpact } from './service/impact.js'
import { openJudge } from './service/judge.js'
import { openLineage } from './service/lineage.js'
import { openMetadata } from './service/metadata.js'
import { openMetadataUpdates } from './service/metadata-updates.js'
import { pushToMirror } from './service/mirroring.js'
import { openNewest } from './service/newest.js'
import { openPages } from './service/pages.js'
import { openPast } from './service/past.js'
import { failureText } from './service/periodically.js'
import { keepPlaces } from './service/places.js'
import { openPoints } from './service/points.js'
import { openPushes } from './service/push.js'
import { onlyFollows, type Refusal, refusalBeside, refuseUpdates, refuseWrites } from './service/read-only.js'
import { openBundles } from './service/references.js'
import { openRemote } from './service/remote.js'
import { openSchemaUpdates } from './service/schema-updates.js'
import { openSchemas } from './service/schemas.js'
import { openSearch } from './service/search.js'
import type { Services } from './service/services.js'
import { watchLog } from './service/sharing.js'
import { openSpace } from './service/space.js'
import {
  forgetStanding,
  openStandingBook,
  readStanding,
  type Standing,
  type StandingBook,
} from './service/standing.js'
import { openTransfer } from './service/transfer/transfer.js'
import { openUndoneBook } from './service/undone-updates.js'
import { openProspect } from './service/updates.js'
import { type FreshCatalog, openVerify } from './service/verify.js'
import { type Borrowed, openBorrowed } from './store/borrowed.js'
import { type Clone, openClone } from './store/clone.js'
import { readMarker } from './store/marker.js'
import { announceServer } from './store/presence.js'
import { readBranch } from './store/refs.js'
import { openRemoteBranch, type RemoteBranch } from './store/remote-branch.js'
import { openRepository, ownFolder, type Repository } from './store/repository.js'
import { keepServedRef } from './store/served-ref.js'
import { openSigner } from './store/signer.js'
import { spreadOf } from './store/staging.js'
import { openHeadWatch } from './store/stray-head.js'
import { openWriter } from './store/write.js'
import type { Writer } from './store/writer.js'
import { openValidator } from './validation/pool.js'
import type { Validator } from './validation/validator.js'

export interface ComposeOptions {
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
  /** Whether it runs as a server, which other processes can see in the repository. */
  readonly serving?: boolean
  /** Script of a thread that reads what many ask for; default: there is none. */
  readonly readingThread?: URL | undefined
  /** Is told of the work that is done. */
  readonly observer?: Observer | undefined
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
export interface CheckRoom extends Checker {
  readonly clone: Clone
  readonly borrowed: Borrowed
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
export async function composeCheck(config: Config, options: CheckRoomOptions): Promise<CheckRoom> {
  const { quarantine = false, progress } = options
  const clone = await openClone(config.data, { git: config.git, quarantine })
  const borrowed = await openBorrowed(clone)
  const { objects } = borrowed
  const validator = openConfigured(config)
  const documents = openDocuments(objects)
  const bundles = openBundles(documents, validator)
  const checker = openChecker({
    dir: clone.dir,
    borrowed,
    known: join(clone.commonDir, ownFolder, catalogFile),
    open: parts => openCatalog({ ...parts, objects }),
    judge: openJudge({ documents, bundles, validator }),
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

function openConfigured(config: Config, observer?: Observer): Validator {
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

  const documents = openDocuments(objects)
  const bundles = openBundles(documents, validator)
  const judge = openJudge({ documents, bundles, validator })
  const catalog = openCatalog({
    file: join(ownDir, catalogFile),
    objects,
    together: readingThread && { script: readingThread, gitDir },
    history,
    judge,
    report,
    onDamage: () => {
      writer
        .follow()
        .catch((error: unknown) => report(`The catalog cannot be made anew: ${failureText(error)}`))
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
    sign: config.sign === undefined ? undefined : await openSigner(config.sign),
    log: other?.role === 'log' ? other.branch : undefined,
  })
  onClose(() => writer.close())
  await writer.follow().catch((thrown: unknown) => {
    // Without the log nothing is stored, but what there is can be read.
    if (other?.role !== 'log' || !(thrown instanceof ProblemError) || catalog.head() === undefined)
      throw thrown
  })

  const follower = await followBranch({
    gitDir,
    branch,
    report,
    onChange: async () => {
      watchHead()
      await writer.follow()
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
    onClose(keepPlaces({ catalog, report }).close)
    onClose(watchEdits({ repository, writer, report }).close)
  }

  const { git } = repository
  const pushes =
    config.allowPush && git !== undefined
      ? await openPushes({ repository, git, catalog, validator, writer, report })
      : undefined
  async function isPublic(): Promise<boolean> {
    // Commits made beside the server count too.
    await writer.follow()
    return catalog.committed.isOpenTo(everybody)
  }
  const remote = openRemote({ repository, longest: config.gitTime, pushes, isPublic })
  onClose(() => remote.close())

  if (other) onClose(keepUpWith(other, { repository, catalog, writer }))
  if (serving && !other) forgetStanding(ownDir)
  const refusal = refusalOf(other, serving ? undefined : readStanding(ownDir))
  const desk = openDesk(catalog, writerFor(writer, other, refusal))
  const { chain, head } = catalog
  const points = openPoints({ gitDir, branch, chain, head, objects, history })
  const past = openPast({
    committed: catalog.committed,
    points,
    aside: openAside({ objects, history, committed: catalog.committed, judge, chain }),
  })
  const room = { desk, documents, bundles, validator, year: () => new Date().getUTCFullYear() }
  const committed = openProspect(desk, bundles)
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
      about: async () => readMarker(repository.dir, await repository.head(), objects, history),
    }),
    past: { find: past.find, list: past.list, read: past.read },
    audit: openAudit({ committed: catalog.committed, repository, comparisons, verify }),
    lineage: openLineage({ committed: catalog.committed, documents, repository, comparisons }),
    newest: openNewest(catalog),
    document: revision => documents.read(revision.document),
    contentInformation: openContentInformation({ committed: catalog.committed, documents, history }),
    search: openSearch(catalog),
    remote: remote.answer,
    changes: openChanges({ catalog, desk, history, undone }),
    changeSets: openChangeSets({ desk, committed, ...updates, newId }),
    impact: openImpact({
      ...room,
      documents: uncached(objects),
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
    figures: openFigures({ repository, catalog, writer, validator, space }),
    settled: () => writer.settled(),
  }
  return refusal ? refuseUpdates(services, refusal) : services
}

/** What cannot be looked at is not known to be. */
function isAtHead({ gitDir, branch }: Repository, catalog: Catalog): boolean {
  try {
    return readBranch(gitDir, branch) === catalog.head()
  } catch (error) {
    if (error instanceof RangeError || error instanceof ProblemError) return false
    throw error
  }
}

/** Another repository, and how things stand with it. */
interface Other extends RemoteConfig {
  readonly branch: RemoteBranch
  readonly book: StandingBook
}

async function openOther(
  repository: Repository,
  config: RemoteConfig,
  report: (line: string) => void,
): Promise<Other> {
  const { role, remote } = config
  const branch = await openRemoteBranch(repository, remote, role === 'source' ? 'fetch' : 'push')
  const book = openStandingBook(repository.ownDir, { role, address: branch.address }, report)
  return { ...config, branch, book }
}

/** @param beside what the server on the same folder has to do with another repository */
function refusalOf(other: Other | undefined, beside: Standing | undefined): Refusal | undefined {
  if (other?.role === 'source') return () => onlyFollows(other.branch.address)
  return other || !beside ? undefined : refusalBeside(beside)
}

/** The writer as updates see it. */
function writerFor(writer: Writer, other: Other | undefined, refusal: Refusal | undefined): Writer {
  if (refusal) return refuseWrites(writer, refusal)
  // Nothing is refused for what other servers may have changed.
  return other?.role === 'log' ? { ...writer, follow: writer.meet } : writer
}

/** @returns what ends it */
function keepUpWith(
  { role, branch, book, interval }: Other,
  { repository, catalog, writer }: { repository: Repository; catalog: Catalog; writer: Writer },
): () => Promise<void> {
  const keeping = {
    source: () => followSource({ repository, source: branch, writer, book, interval }),
    mirror: () => pushToMirror({ catalog, mirror: branch, book }),
    log: () => watchLog({ catalog, log: branch, writer, book, interval }),
  }[role]()
  return keeping.close
}
