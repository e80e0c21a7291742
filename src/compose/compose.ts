import type { Config } from '../config.js'
import type {
  DescribedRevision,
  DocumentDescription,
  ListedDescription,
} from '../core/records/document-description.js'
import type { Revision } from '../core/records/revision.js'
import type { ServedFeature } from '../http/open-feature.js'
import { followRevisions } from '../service/record-history/follow-revisions.js'
import type { Services } from '../service/services.js'
import type { Transactions } from '../service/updates/submit-update.js'
import { assembleServices } from './assemble-services.js'
import { type Connect, openParts, type PartOptions, type Parts } from './open-parts.js'

export interface ComposeOptions extends PartOptions {
  /** The features, in order. Default: none. */
  readonly features?: readonly FeatureToOpen[] | undefined
}

/** What the core offers to features: its parts, and the services over them. */
export interface CoreParts extends Parts, Omit<Services, 'close'> {
  readonly config: Config
  readonly transactions: Transactions
  /** Whether this process is a server, which other processes can see in the repository. */
  readonly serving: boolean
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
  /** What a feature that is open already gives its routes, by the name of the feature. */
  readonly stateOf: (feature: string) => unknown
  /**
   * What the documents of revisions say about themselves, in the order of the revisions. Several documents are read
   * together, and few bytes are in memory: ask for all revisions at once, and use each description before the next one.
   * @param revisions they are taken when they are needed
   * @returns without descriptions if no open feature can tell
   */
  readonly describeEach: (revisions: Iterable<Revision>) => AsyncIterable<DescribedRevision>
  /** {@link describeEach} for one revision. */
  readonly describe: (revision: Revision) => Promise<DocumentDescription | undefined>
  /** What a list shows of a described revision; undefined if no open feature can tell. */
  readonly listDescription: (
    revision: Revision,
    description: DocumentDescription,
  ) => ListedDescription | undefined
  /** The features that are open: all of them, when all are open. */
  readonly features: readonly ServedFeature[]
  /** Address of a module for threads, which describes documents; undefined if no open feature has one. */
  readonly describeModule: () => string | undefined
}

/** A feature, as a process opens it. */
export interface FeatureToOpen {
  readonly connect?: Connect
  /** Opens the feature over the core; for a command only what commands need of it. */
  open(parts: CoreParts): Promise<ServedFeature>
}

export interface ComposedServices extends Services {
  readonly parts: CoreParts
  readonly features: readonly ServedFeature[]
}

/**
 * Opens the data folder, its services and its features. Reads new commits of the branch into the catalog. Validation
 * workers start when the first document is validated.
 * @throws ProblemError `unusable-repository`, `unavailable`
 */
export async function compose(config: Config, options: ComposeOptions): Promise<ComposedServices> {
  /** Functions that close the opened parts, in the order of opening. */
  const closers: (() => Promise<void> | void)[] = []
  const onClose = (closeOne: () => Promise<void> | void) => closers.push(closeOne)
  async function close(): Promise<void> {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  const features: ServedFeature[] = []
  try {
    const { features: toOpen = [] } = options
    const opened = await openParts(config, options, connectorOf(toOpen), onClose)
    const { services, transactions } = assembleServices(options, opened, onClose, features)
    const stateOf = (feature: string) => features.find(({ name }) => name === feature)?.state
    const describeEach = (revisions: Iterable<Revision>) =>
      features.find(feature => feature.describeEach)?.describeEach?.(revisions) ?? undescribed(revisions)
    async function describe(revision: Revision): Promise<DocumentDescription | undefined> {
      for await (const { description } of describeEach([revision])) return description
      return undefined
    }
    const listDescription = (revision: Revision, description: DocumentDescription) =>
      features.find(feature => feature.listDescription)?.listDescription?.(revision, description)
    const describeModule = () => features.find(each => each.describeModule)?.describeModule?.href
    const { report, serving = false } = options
    const parts = {
      ...opened,
      ...services,
      config,
      transactions,
      serving,
      report,
      stateOf,
      describeEach,
      describe,
      listDescription,
      features,
      describeModule,
    }
    for (const { open } of toOpen) {
      const feature = await open(parts)
      features.push(feature)
      onClose(() => feature.close?.())
      if (serving && feature.follows)
        onClose(followRevisions(feature.follows, { name: feature.name, ...parts }).close)
    }
    if (serving) for (const feature of features) feature.start?.()
    let closing: Promise<void> | undefined
    return {
      ...services,
      parts,
      features,
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

/** Opens the connection of the first feature that has one. */
function connectorOf(features: readonly FeatureToOpen[]): Connect {
  return async (repository, process) => {
    for (const { connect } of features) {
      const connection = await connect?.(repository, process)
      if (connection) return connection
    }
    return undefined
  }
}

async function* undescribed(revisions: Iterable<Revision>): AsyncGenerator<DescribedRevision, void> {
  for (const revision of revisions) yield { revision }
}
