import type { OptionTable, OptionValues } from './cli/arguments/option-table.js'
import type { CommandEntry } from './cli/command.js'
import type { CoreParts, OpenFeatureIn } from './compose/compose.js'
import type { FeatureRoutes, OpenFeature } from './http/open-feature.js'

/** Values of options by their names, as yargs gives them. */
type GivenValues = Readonly<Record<string, unknown>>

/**
 * A capability beside the core: a folder of `src/features` with one `feature.ts`, which declares it.
 * @see docs/understand/features.md
 */
export interface Feature {
  readonly name: string
  /** Names of the features whose public files it imports. They stand before it in `src/features.ts`. */
  readonly needs: readonly string[]
  /** Options of `serve` by name. Environment variables may set each of them. */
  readonly options: OptionTable
  /** Commands. Their modules are loaded only if the command line names them. */
  readonly commands: readonly CommandEntry[]
  /**
   * Checks the options before the server makes or opens anything.
   * @param all the values of all options of `serve`
   * @throws UsageError
   */
  validate(options: never, all: GivenValues): void
  /** Loads the modules of the routes. */
  loadRoutes(): Promise<FeatureRoutes<never>>
  /** Opens the feature in a service. */
  open(parts: CoreParts, options: never): Promise<OpenFeature>
}

interface FeatureDeclaration<O extends OptionTable, S> {
  readonly name: string
  readonly needs?: readonly string[]
  readonly options?: O
  readonly commands?: readonly CommandEntry[]
  validate?(options: OptionValues<O>, all: GivenValues): void
  loadRoutes?(): Promise<FeatureRoutes<S>>
  open?(parts: CoreParts, options: OptionValues<O>): Promise<OpenFeature<S>>
}

/**
 * Declares a feature. The types of the options follow from `options`, those of the handlers' contexts from what `open`
 * returns as `state`.
 */
export function defineFeature<const O extends OptionTable = Record<never, never>, S = undefined>(
  feature: FeatureDeclaration<O, S>,
): Feature {
  const nothing = async () => ({})
  return {
    ...{
      needs: [],
      options: {},
      commands: [],
      validate: () => undefined,
      loadRoutes: nothing,
      open: nothing,
    },
    ...feature,
  }
}

/**
 * The functions that open features in a service.
 * @param given values of options by name; an option without a value has its default
 */
export function openersOf(features: readonly Feature[], given: GivenValues): readonly OpenFeatureIn[] {
  return features.map(feature => async parts => ({
    name: feature.name,
    ...(await feature.loadRoutes()),
    ...(await feature.open(parts, valuesOf(feature, given) as never)),
  }))
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
