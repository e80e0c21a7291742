import type { OptionTable, OptionValues } from './cli/arguments/option-table.js'
import type { CommandEntry, StatusPart } from './cli/command.js'
import type { CoreParts, FeatureToOpen } from './compose/compose.js'
import type { Connect, Connection } from './compose/open-parts.js'
import type { FeatureRoutes, OpenFeature, ServedFeature } from './http/open-feature.js'
import type { Clone } from './store/local-clone/open-clone.js'
import type { Repository } from './store/repository/open-repository.js'

/** The hook for records, which needs no open feature. */
type RecordHooks = Pick<ServedFeature, 'checkSchemaRecord'>

/** Values of options by their names, as yargs gives them. */
type GivenValues = Readonly<Record<string, unknown>>

/** The data folder of a server that starts. */
export interface DataFolder {
  readonly path: string
  /** Whether it is missing or empty. */
  readonly isFree: boolean
  /** `auto` or the path of a binary, as in the configuration. */
  readonly git: string
  /** Tells the operator what is made. */
  note(line: string): void
}

/**
 * A capability beside the core: a folder of `src/features` with one `feature.ts`, which declares it.
 * @see docs/understand/features.md
 */
export interface Feature extends RecordHooks {
  readonly name: string
  /** Names of the features whose public files it imports. They stand before it in `src/features.ts`. */
  readonly needs: readonly string[]
  /** Options of `serve` by name. Environment variables may set each of them. */
  readonly options: OptionTable
  /** Commands. Their modules are loaded only if the command line names them. */
  readonly commands: readonly CommandEntry[]
  /**
   * SQL that makes its tables in the catalog's file, if they are missing. They are empty after each rebuild of the
   * catalog.
   */
  readonly tables: string
  /**
   * Checks the options before the server makes or opens anything.
   * @param all the values of all options of `serve`
   * @returns what `open` gets
   * @throws UsageError
   */
  validate(options: never, all: GivenValues): unknown
  /**
   * A module that tells threads what a document says about itself, also those of commands, which open no features.
   * @see DescribeModule
   */
  readonly describeModule: URL | undefined
  /**
   * Opens what tells what documents say about themselves, for commands, which open no features.
   * @see OpenFeature.describeEach
   */
  openForCommands(parts: CoreParts): Promise<Pick<OpenFeature, 'describeEach'>>
  /** Loads the modules of the routes. */
  loadRoutes(): Promise<FeatureRoutes<never>>
  /**
   * Fills the data folder of a server, if the feature has content for it. Otherwise a missing or empty folder gets the
   * template.
   * @param checked the result of `validate`
   * @returns whether the feature decided about the folder
   */
  fillFolder(folder: DataFolder, checked: never): Promise<boolean>
  /**
   * Opens the connection of a repository with another one, before the writer opens. Commands call this, too. The first
   * feature that has a connection is the only one.
   * @param checked the result of `validate`; undefined for a command
   */
  connect(
    repository: Repository,
    checked: never,
    process: Parameters<Connect>[1],
  ): Promise<Connection | undefined>
  /**
   * Opens the feature in a service.
   * @param checked the result of `validate`
   * @param connection what `connect` has opened
   */
  open(parts: CoreParts, options: never, checked: never, connection: never): Promise<OpenFeature>
  /** What the feature adds to `git-metastore status`, with or without a running server. */
  readStatus(clone: Clone): Promise<StatusPart | undefined>
}

interface FeatureDeclaration<O extends OptionTable, S, V, C extends Connection> extends RecordHooks {
  readonly name: string
  readonly needs?: readonly string[]
  readonly options?: O
  readonly commands?: readonly CommandEntry[]
  readonly tables?: string
  readonly describeModule?: URL
  openForCommands?(parts: CoreParts): Promise<Pick<OpenFeature, 'describeEach'>>
  validate?(options: OptionValues<O>, all: GivenValues): V | Promise<V>
  loadRoutes?(): Promise<FeatureRoutes<S>>
  fillFolder?(folder: DataFolder, checked: V): Promise<boolean>
  connect?(
    repository: Repository,
    checked: V | undefined,
    process: Parameters<Connect>[1],
  ): Promise<C | undefined>
  open?(
    parts: CoreParts,
    options: OptionValues<O>,
    checked: V,
    connection: C | undefined,
  ): Promise<OpenFeature<S>>
  readStatus?(clone: Clone): Promise<StatusPart | undefined>
}

/**
 * Declares a feature. The types of the options follow from `options`, those of the handlers' contexts from what `open`
 * returns as `state`.
 */
export function defineFeature<
  const O extends OptionTable = Record<never, never>,
  S = undefined,
  V = void,
  C extends Connection = Connection,
>(feature: FeatureDeclaration<O, S, V, C>): Feature {
  const nothing = async () => ({})
  return {
    ...{
      needs: [],
      options: {},
      commands: [],
      describeModule: undefined,
      tables: '',
      validate: () => undefined,
      openForCommands: nothing,
      loadRoutes: nothing,
      fillFolder: async () => false,
      connect: async () => undefined,
      open: nothing,
      readStatus: async () => undefined,
    },
    ...feature,
  }
}

/** SQL that makes the tables of all features. */
export function tablesOf(features: readonly Feature[]): string {
  return features.map(({ tables }) => tables).join('')
}

/** A feature of a server, with the values of its options. */
export interface ConfiguredFeature extends FeatureToOpen {
  fillFolder(folder: DataFolder): Promise<boolean>
}

/** The features as commands have them, which open only what describes documents. */
export function forCommands(features: readonly Feature[]): readonly FeatureToOpen[] {
  return features.map(feature => ({
    connect: (repository, process) => feature.connect(repository, undefined as never, process),
    open: async parts => ({ ...alwaysOf(feature), ...(await feature.openForCommands(parts)) }),
  }))
}

/**
 * Checks the options of features.
 * @param given values of options by name; an option without a value has its default
 * @returns the features, for one service
 * @throws UsageError
 */
export async function openersOf(
  features: readonly Feature[],
  given: GivenValues,
): Promise<readonly ConfiguredFeature[]> {
  const all = Object.assign({}, ...features.map(feature => valuesOf(feature, given)), given)
  const openers: ConfiguredFeature[] = []
  for (const feature of features) {
    const values = valuesOf(feature, given) as never
    const checked = (await feature.validate(values, all)) as never
    let connection: Connection | undefined
    openers.push({
      fillFolder: folder => feature.fillFolder(folder, checked),
      async connect(repository, process) {
        connection = await feature.connect(repository, checked, process)
        return connection
      },
      open: async parts => ({
        ...alwaysOf(feature),
        ...(await feature.loadRoutes()),
        ...(await feature.open(parts, values, checked, connection as never)),
      }),
    })
  }
  return openers
}

/** The hooks of a feature that need no open services. */
function alwaysOf({ name, describeModule, checkSchemaRecord }: Feature): ServedFeature {
  return { name, describeModule, ...(checkSchemaRecord && { checkSchemaRecord }) }
}

/** The values of the options of a feature, under their names and under the names in camel case. */
function valuesOf({ options }: Feature, given: GivenValues): GivenValues {
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(options)) {
    const value = name in given ? given[name] : option.default
    values[name] = value
    values[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value
  }
  return values
}
