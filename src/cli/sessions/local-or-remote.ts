import type { Services } from '../../service/services.js'
import type { Validator } from '../../validation/validator.js'
import { readInput, standardInput } from '../arguments/input-file.js'
import { type CommonOptions, configOf } from '../arguments/shared-options.js'
import type { CommandContext } from '../command-context.js'
import { patience, reportTo } from './beside-server.js'
import type { SchemaFiles, Session } from './session.js'

/** Runs a command on the data folder or the server its options name. */
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

/** Runs a command that looks into the repository itself. */
export async function withServices<T>(
  options: CommonOptions,
  { terminal }: CommandContext,
  use: (services: Services) => Promise<T>,
): Promise<T> {
  // Only here: help, completion and commands on a server start faster without all that a repository needs.
  const { compose } = await import('../../compose/compose.js')
  const services = await compose({ ...configOf(options), patience }, { report: reportTo(terminal) })
  try {
    return await use(services)
  } finally {
    await services.close()
  }
}

/** Follows references of schema documents; one worker is enough for the few a command has. */
async function openReferences(options: CommonOptions): Promise<Pick<Validator, 'references' | 'close'>> {
  const config = configOf(options)
  const { validationTime: timeLimit, validationMemory: memoryLimit, validationDepth: depthLimit } = config
  const { openValidator } = await import('../../validation/open-validator.js')
  return openValidator({ workers: 1, timeLimit, memoryLimit, depthLimit })
}

/** A schema document on disk or from standard input, with the files it comes with. @throws ProblemError */
export async function readSchema(options: CommonOptions, file: string): Promise<SchemaFiles> {
  const document = await readInput(file)
  if (file === standardInput) return { document, files: new Map() }
  const { collectReferencedFiles } = await import('./referenced-files.js')
  const validator = await openReferences(options)
  try {
    return { document, files: await collectReferencedFiles(validator, file, document) }
  } finally {
    await validator.close()
  }
}
