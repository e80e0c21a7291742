import type { OptionTable, OptionValues } from './cli/arguments/option-table.js'
import type { CommandEntry, StatusPart } from './cli/command.js'
import type { CoreParts, OpenFeatureIn } from './compose/compose.js'
import type { FeatureRoutes, OpenFeature, ServedFeature } from './http/open-feature.js'
import type { Clone } from './store/local-clone/open-clone.js'

/** The hook for records, which needs no open feature. */
type RecordHooks = Pick<ServedFeature, 'checkSchemaRecord'>

/** Values of options by their names, as yargs gives them. */
type GivenValues = Readonly<Record<string, unknown>>

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
   * A module whose export `describe` tells threads what a document says about itself, also those of commands, which open
   * no features. @see DescribeInThread
   */
  readonly describeModule: URL | undefined
  /**
   * Opens what tells what documents say about themselves, for commands, which open no features.
   * @see OpenFeature.describe
   */
  openForCommands(parts: CoreParts): Promise<Pick<OpenFeature, 'describe'>>
  /** Loads the modules of the routes. */
  loadRoutes(): Promise<FeatureRoutes<never>>
  /** Opens the feature in a service. @param checked the result of `validate` */
  open(parts: CoreParts, options: never, checked: never): Promise<OpenFeature>
  /** What the feature adds to `git-metastore status`, with or without a running server. */
  readStatus(clone: Clone): Promise<StatusPart | undefined>
}

interface FeatureDeclaration<O extends OptionTable, S, V> extends RecordHooks {
  readonly name: string
  readonly needs?: readonly string[]
  readonly options?: O
  readonly commands?: readonly CommandEntry[]
  readonly tables?: string
  readonly describeModule?: URL
  openForCommands?(parts: CoreParts): Promise<Pick<OpenFeature, 'describe'>>
  validate?(options: OptionValues<O>, all: GivenValues): V | Promise<V>
  loadRoutes?(): Promise<FeatureRoutes<S>>
  open?(parts: CoreParts, options: OptionValues<O>, checked: V): Promise<OpenFeature<S>>
  readStatus?(clone: Clone): Promise<StatusPart | undefined>
}

/**
 * Declares a feature. The types of the options follow from `options`, those of the handlers' contexts from what `open`
 * returns as `state`.
 */
export function defineFeature<const O extends OptionTable = Record<never, never>, S = undefined, V = void>(
  feature: FeatureDeclaration<O, S, V>,
): Feature {
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

/**
 * Checks the options of features.
 * @param given values of options by name; an option without a value has its default
 * @returns the functions that open the features in a service
 * @throws UsageError
 */
export async function openersOf(
  features: readonly Feature[],
  given: GivenValues,
): Promise<readonly OpenFeatureIn[]> {
  const all = Object.assign({}, ...features.map(feature => valuesOf(feature, given)), given)
  const openers: OpenFeatureIn[] = []
  for (const feature of features) {
    const values = valuesOf(feature, given) as never
    const checked = (await feature.validate(values, all)) as never
    openers.push(async parts => ({
      ...alwaysOf(feature),
      ...(await feature.loadRoutes()),
      ...(await feature.open(parts, values, checked)),
    }))
  }
  return openers
}

/** Functions that open what commands need of features. */
export function commandOpenersOf(features: readonly Feature[]): readonly OpenFeatureIn[] {
  return features.map(feature => async parts => ({
    ...alwaysOf(feature),
    ...(await feature.openForCommands(parts)),
  }))
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
