import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Argv } from 'yargs'
import { type Config, defaults } from '../../config.js'
import { isPlain } from '../../core/plain-mode.js'
import { metastoreFileName } from '../../store/records/repository-layout.js'
import { flag, number, type OptionValues, text } from './option-table.js'
import { requireWholeNumber } from './whole-number.js'

export const serveGroup = 'Options of serve:'
/** The options of `serve` about access. */
export const accessGroup = 'Access:'

const group = 'Options of every command:'
/** Options that most users leave alone. */
const tuning = { group: 'Tuning:' } as const

/** Options that every command has. */
const commonOptions = {
  data: { ...text, group, describe: 'Data folder; default: the current folder if it is one, else ./data' },
  url: { ...text, group, describe: 'URL of a running server to use instead of a data folder' },
  json: { ...flag, group, describe: 'Print results as JSON' },
  git: {
    ...text,
    default: defaults.git,
    ...tuning,
    describe: 'The git binary: auto, none (use no binary), or its path',
  },
  'xml-engine': {
    choices: ['libxml2-wasm', 'libxmljs2'],
    default: defaults.xmlEngine,
    ...tuning,
    describe: 'Library that validates XML',
  },
  workers: {
    ...number,
    default: defaults.workers,
    ...tuning,
    describe: 'Number of validation workers; 0: one for each core',
  },
  'validation-time': {
    ...number,
    default: defaults.validationTime,
    ...tuning,
    describe: 'Milliseconds one validation may take',
  },
  'validation-memory': {
    ...number,
    default: defaults.validationMemory,
    ...tuning,
    describe: 'Mebibytes a validation worker may use',
  },
  'validation-depth': {
    ...number,
    default: defaults.validationDepth,
    ...tuning,
    describe: 'Nested arrays and objects that a JSON document may have, 512 at most',
  },
  'base-url': {
    ...text,
    group: serveGroup,
    describe: 'URL that clients use, if it differs from the URL of their requests',
  },
} as const

export type CommonOptions = OptionValues<typeof commonOptions>

/** Names of the options that every command has. */
export const commonOptionNames: readonly string[] = Object.keys(commonOptions)

/** Names of the options that environment variables can set for every command. */
const fromEnvironment = commonOptionNames.filter(name => name !== 'url' && name !== 'json')

/**
 * Declares the common options. The help of `serve` lists all of them. The help of another command hides those for
 * tuning and for `serve`, unless `--show-hidden` is given.
 * @see docs/run/configuration.md
 */
export function withCommonOptions(parser: Argv, args: readonly string[]): Argv {
  const namesServer = args.some(arg => arg === '--url' || arg.startsWith('--url='))
  const names = fromEnvironment.filter(name => !(namesServer && name === 'data'))
  const showsAll = args.includes('serve') || args.includes('--show-hidden')
  for (const [name, option] of Object.entries(commonOptions)) {
    parser.option(name, { ...option, hidden: option.group !== group && !showsAll })
  }
  return parser.config(environmentOf(names))
}

/**
 * Reads options from the environment: `METASTORE_XML_ENGINE` sets `xml-engine`.
 * @param names the options of the command. yargs refuses a variable of another command as an unknown argument
 * @param lists options with several values; a variable separates them by commas
 */
export function environmentOf(
  names: readonly string[],
  lists: readonly string[] = [],
): Readonly<Record<string, string | readonly string[]>> {
  const found: Record<string, string | readonly string[]> = {}
  for (const name of names) {
    const value = process.env[variableOf(name)]
    if (value) found[name] = lists.includes(name) ? value.split(',').map(part => part.trim()) : value
  }
  return found
}

/** The variable of {@link isPlain}, if it is set. */
const ofTests = isPlain ? ['plain'] : []

/**
 * Names of `METASTORE_…` variables that set no option, such as misspelt ones.
 * @param names the command's own options that the environment may set
 */
export function unknownVariables(names: readonly string[]): readonly string[] {
  // A secret is in a file or in a variable, because other users of the machine can read command lines.
  const secrets = ['token', ...names.flatMap(name => /^(.*)-file$/.exec(name)?.[1] ?? [])]
  const known = new Set([...fromEnvironment, ...secrets, ...ofTests, ...names].map(variableOf))
  return Object.keys(process.env).filter(name => name.startsWith('METASTORE_') && !known.has(name))
}

/** The variable of an option: `METASTORE_XML_ENGINE` for `xml-engine`. */
export function variableOf(option: string): string {
  return `METASTORE_${option.replaceAll('-', '_').toUpperCase()}`
}

/** The data folder of a command. @param data the option `--data` */
export function dataFolder(data: string | undefined): string {
  if (data !== undefined) return data
  return isOurs('.') ? '.' : defaults.data
}

/** Whether a folder has a git-metastore repository: the marker file, or the catalog of a bare repository. */
function isOurs(dir: string): boolean {
  return existsSync(join(dir, metastoreFileName)) || existsSync(join(dir, 'git-metastore', 'catalog.sqlite'))
}

export function configOf(options: CommonOptions): Config {
  const { git, xmlEngine, workers, validationTime, validationMemory, validationDepth } = options
  requireWholeNumber('workers', workers, 0)
  requireWholeNumber('validation-time', validationTime, 0)
  requireWholeNumber('validation-memory', validationMemory, 0)
  requireWholeNumber('validation-depth', validationDepth, 1, defaults.validationDepth)
  return Object.freeze({
    ...defaults,
    data: dataFolder(options.data),
    git,
    xmlEngine,
    workers,
    validationTime,
    validationMemory,
    validationDepth,
  })
}
