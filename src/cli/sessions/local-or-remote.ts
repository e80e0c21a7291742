import type { ComposedServices } from '../../compose/compose.js'
import { readInput, standardInput } from '../arguments/input-file.js'
import { type CommonOptions, configOf } from '../arguments/shared-options.js'
import type { CommandContext } from '../command-context.js'
import { endInOrder } from './end-in-order.js'
import { lockWait } from './lock-wait.js'
import type { SchemaFiles, Session } from './session.js'

/** Runs a command on the data folder or the server that the options name. */
export async function withSession<T>(
  options: CommonOptions,
  program: CommandContext,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  if (options.url !== undefined) {
    const { remoteSession } = await import('./remote-server.js')
    return use(remoteSession(options.url))
  }
  const bases = options.baseUrl === undefined ? [] : [options.baseUrl]
  const { localSession } = await import('./local-repository.js')
  return withServices(options, program, services => use(localSession(services, bases)))
}

/** Runs a command on the data folder that the options name. */
export async function withServices<T>(
  options: CommonOptions,
  { terminal, features }: CommandContext,
  use: (services: ComposedServices) => Promise<T>,
): Promise<T> {
  // Loaded here: commands on a server do not need these modules.
  const { compose } = await import('../../compose/compose.js')
  const { patience, report } = lockWait(terminal)
  const services = await compose({ ...configOf(options), patience }, { report, features: features.toOpen })
  return await endInOrder(
    () => use(services),
    () => services.close(),
  )
}

/** Reads a schema with the files it refers to; from standard input, without these files. @throws ProblemError */
export async function readSchema(options: CommonOptions, file: string): Promise<SchemaFiles> {
  const document = await readInput(file)
  if (file === standardInput) return { document, files: new Map() }
  const { collectReferencedFiles } = await import('./referenced-files.js')
  const { openConfiguredValidator } = await import('../../compose/configured-validator.js')
  const validator = openConfiguredValidator({ ...configOf(options), xmlEngine: 'libxml2-wasm' })
  try {
    return { document, files: await collectReferencedFiles(validator, file, document) }
  } finally {
    await validator.close()
  }
}
