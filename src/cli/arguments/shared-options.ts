import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Argv } from 'yargs'
import { type Config, defaults } from '../../config.js'
import { metastoreFileName } from '../../store/records/repository-layout.js'
import { UsageError } from '../command-context.js'

/** Options every command has. */
export interface CommonOptions {
  readonly data: string | undefined
  readonly url: string | undefined
  readonly json: boolean
  readonly git: string
  readonly xmlEngine: Config['xmlEngine']
  readonly workers: number
  readonly validationTime: number
  readonly validationMemory: number
  readonly validationDepth: number
  readonly baseUrl: string | undefined
}

/** Options that can come from the environment, in every command. */
const fromEnvironment = [
  'data',
  'git',
  'xml-engine',
  'workers',
  'validation-time',
  'validation-memory',
  'validation-depth',
  'base-url',
]

/**
 * The values of options the environment has: `METASTORE_XML_ENGINE` for `xml-engine`. Only of the options named, or
 * a variable meant for one command would be an unknown argument of all others.
 * @param lists options that take several values: the variable has them with commas between
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

/** What the environment may have beside options: it is nobody's business who sees the command line. */
const secrets = ['jwt-secret', 'token']

/**
 * Variables that look like ours and are none: misspelt, most often.
 * @param names options of the command that the environment may have, beside those of every command
 */
export function unknownVariables(names: readonly string[]): readonly string[] {
  const known = new Set([...fromEnvironment, ...secrets, ...names].map(variableOf))
  return Object.keys(process.env).filter(name => name.startsWith('METASTORE_') && !known.has(name))
}

/** The variable of an option: `METASTORE_XML_ENGINE` for `xml-engine`. */
export function variableOf(option: string): string {
  return `METASTORE_${option.replaceAll('-', '_').toUpperCase()}`
}

export const serveGroup = 'Options of serve:'

/**
 * What most people leave alone is in the help of `serve`, and with `--show-hidden` in that of the others.
 * @see docs/configuration.md
 */
export function withCommonOptions(parser: Argv, args: readonly string[]) {
  const namesServer = args.some(arg => arg === '--url' || arg.startsWith('--url='))
  const names = fromEnvironment.filter(name => !(namesServer && name === 'data'))
  const group = 'Options of every command:'
  const tuning = { group: 'Tuning:', hidden: !(args.includes('serve') || args.includes('--show-hidden')) }
  return parser.config(environmentOf(names)).options({
    data: {
      type: 'string',
      requiresArg: true,
      group,
      describe: 'Data folder; by default the current folder where it is one, else ./data',
    },
    url: {
      type: 'string',
      requiresArg: true,
      group,
      describe: 'A running server to talk to instead of a data folder',
    },
    json: { type: 'boolean', default: false, group, describe: 'Results as JSON, for machines' },
    git: {
      type: 'string',
      requiresArg: true,
      default: defaults.git,
      ...tuning,
      describe: 'The git binary: auto, none (do without), or its path',
    },
    'xml-engine': {
      choices: ['libxml2-wasm', 'libxmljs2'] as const,
      default: defaults.xmlEngine,
      ...tuning,
      describe: 'Validator of XML',
    },
    workers: {
      type: 'number',
      requiresArg: true,
      default: defaults.workers,
      ...tuning,
      describe: 'Validation workers; 0 means one for each core',
    },
    'validation-time': {
      type: 'number',
      requiresArg: true,
      default: defaults.validationTime,
      ...tuning,
      describe: 'Milliseconds one validation may take',
    },
    'validation-memory': {
      type: 'number',
      requiresArg: true,
      default: defaults.validationMemory,
      ...tuning,
      describe: 'Mebibytes a validation worker may use',
    },
    'validation-depth': {
      type: 'number',
      requiresArg: true,
      default: defaults.validationDepth,
      ...tuning,
      describe: 'Levels of arrays and objects a JSON document may have, 512 at most',
    },
    'base-url': {
      type: 'string',
      requiresArg: true,
      group: serveGroup,
      hidden: tuning.hidden,
      describe: 'The URL clients use, where it is not the one of the request',
    },
  })
}

/** The parser with the options every command has, as commands extend it. */
export type Parser = ReturnType<typeof withCommonOptions>

/** The data folder a command means. */
export function dataFolder(data: string | undefined): string {
  if (data !== undefined) return data
  return isOurs('.') ? '.' : defaults.data
}

/** Says whether a folder looks like one of ours: its own marker file, or that of a bare repository. */
function isOurs(dir: string): boolean {
  return existsSync(join(dir, metastoreFileName)) || existsSync(join(dir, 'git-metastore', 'catalog.sqlite'))
}

export function configOf(options: CommonOptions): Config {
  const { git, xmlEngine, workers, validationTime, validationMemory, validationDepth } = options
  const numbers = { workers, 'validation-time': validationTime, 'validation-memory': validationMemory }
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new UsageError(`--${name} has to be a whole number from 0.`)
    }
  }
  const most = defaults.validationDepth
  if (!Number.isSafeInteger(validationDepth) || validationDepth < 1 || validationDepth > most) {
    throw new UsageError(`--validation-depth has to be a whole number from 1 to ${most}.`)
  }
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
