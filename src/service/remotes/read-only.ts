import { ProblemError } from '../../core/problem.js'
import type { Writer } from '../../store/write/writer-interface.js'
import type { Services } from '../services.js'
import type { ConnectionStatus } from './connection-status.js'

export type Refusal = () => ProblemError

type OpenServices = Omit<Services, 'close'>

/**
 * The refusal of updates in a repository with a remote repository. It says where updates are possible.
 * @param hasServer whether a server on the same folder has the connection, for a command
 * @returns undefined if updates are possible
 */
export function refusalOf(
  { role, address }: Pick<ConnectionStatus, 'role' | 'address'>,
  hasServer: boolean,
): Refusal | undefined {
  if (role === 'source') return () => readOnlyFollower(address)
  if (role === 'mirror' || !hasServer) return undefined
  return () =>
    new ProblemError(
      'forbidden',
      `Updates of this repository go to ${address} first. Send them to its server with --url. To change the folder without ` +
        'the log, serve it without --push-to.',
    )
}

function readOnlyFollower(address: string): ProblemError {
  const server = /^(https?:\/\/.*\/)repository\.git\/?$/.exec(address)?.[1]
  return new ProblemError(
    'forbidden',
    `This repository follows ${address} and cannot be changed here. Send changes to ${server ?? 'the server that writes there'}.`,
  )
}

/** Services that refuse every update before anything is checked. */
export function refuseUpdates(services: OpenServices, refusal: Refusal): OpenServices {
  const refuse = () => Promise.reject(refusal())
  const { schema, metadata } = services.collections
  const changes = { create: refuse, revise: refuse }
  const updates = { demandChangeable: refuse, ...changes, dryRun: changes, remove: refuse }
  return {
    ...services,
    collections: {
      schema: { ...schema, ...updates },
      metadata: { ...metadata, ...updates },
    },
    changeSets: { apply: refuse },
  }
}

/** A writer that refuses updates that reach it, and still follows the branch. */
export function refuseWrites(writer: Writer, refusal: Refusal): Writer {
  return { ...writer, write: () => Promise.reject(refusal()) }
}
