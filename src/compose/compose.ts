import type { Config } from '../config.js'
import type { DocumentDescription } from '../core/records/document-description.js'
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
  /** What the document of a revision says about itself, by the first feature that can tell. */
  readonly describe: (revision: Revision) => Promise<DocumentDescription | undefined>
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
    async function describe(revision: Revision): Promise<DocumentDescription | undefined> {
      for (const feature of features) {
        const description = await feature.describe?.(revision)
        if (description) return description
      }
      return undefined
    }
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
      describe,
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
